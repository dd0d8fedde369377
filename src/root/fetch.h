/* SPDX-License-Identifier: Apache-2.0
 * One call's way from columns and rows to decoded values: which baskets, in which order, by which worker.
 * First the columns that count others, then the rest. */
#ifndef TG_ROOT_FETCH_H
#define TG_ROOT_FETCH_H

#include "event/batch.h"
#include "root/kept.h"
#include "root/loss.h"
#include "root/rootrecord.h"
#include "root/walk.h"

/* What one thread needs to read, unpack and decode. Kept from call to call. */
typedef struct tg_worker {
    tg_lane *lane; /* made at first use */
    tg_codec_state codec;
    tg_buf unpacked; /* the payload in hand */
    tg_buf made;     /* offsets that had to be made */
    tg_buf scratch;  /* values of a check */
    tg_sink *sinks;  /* [n_sinks], by leaf of a branch */
    tg_target *targets;
    tg_sink_mark *marks;
    uint64_t n_sinks;
    tg_loss loss;
    uint64_t unpacked_bytes;
    bool met_counts;   /* a basket without offsets */
    uint8_t apart[64]; /* two workers share no line of a cache */
} tg_worker;

/* Do the tree's baskets of counted columns have offsets? Those that have none need the counts of all their entries, so then
 * baskets of counters are kept from the first phase of a call to the second. */
typedef enum tg_offsets {
    TG_OFFSETS_UNKNOWN, /* none was read yet */
    TG_OFFSETS_STORED,  /* all so far */
    TG_OFFSETS_MISSING  /* of some */
} tg_offsets;

/* What calls of one reader share. */
typedef struct tg_fetcher {
    const tg_tree *tree;
    const tg_code *codes;
    tagma_source *source;
    tagma_pool *pool;
    bool is_old_packing;
    tg_offsets offsets;
    bool keeps_all; /* baskets outlive the call whether entries of them are still to come or not */
    tg_worker *workers;
    uint32_t n_workers;
    uint32_t *slot_of;  /* [n_columns] TAGMA_NONE between calls */
    uint32_t *group_of; /* [n_branches] the same */
    tg_kept kept;
    tg_record record; /* the tree's, unpacked when the first embedded basket is wanted */
    tagma_status record_status;
    char *record_words; /* why it cannot be used */
    uint8_t *seen;      /* bits of baskets read so far */
    uint64_t n_baskets, n_distinct, unpacked_bytes;
} tg_fetcher;

tagma_status tg_fetcher_init(tagma_ctx *ctx, tg_fetcher *fetcher, const tg_tree *tree, const tg_code *codes,
                             tagma_source *source, tagma_pool *pool, uint64_t cache_bytes);
void tg_fetcher_free(tagma_ctx *ctx, tg_fetcher *fetcher);

/* Values of one column from one basket: ends of each level, then the values. */
typedef struct tg_segment {
    uint64_t value_bytes;
    uint32_t n_ends[3];
    uint32_t *ends[3];
    uint8_t *values;
} tg_segment;

/* One column of a call. */
typedef struct tg_slot {
    const tg_code *code;
    uint32_t column;
    uint32_t counter; /* slot that counts it; TAGMA_NONE */
    uint32_t next;    /* slot of the same branch and phase; TAGMA_NONE */
    uint32_t group;
    bool is_counter, in_segments, has_counts;
    tagma_buffer *values; /* where places are known */
    uint8_t *place;       /* its bytes */
    uint64_t n_values;
    uint64_t first_segment; /* in call->segments: one for each job of its group */
    /* Of a counter, when its values are there. */
    tagma_buffer *ends;
    tg_counts counts;
    uint8_t *unknown, *absurd;
    /* Bits of rows, when the call is delivered: NULL where no row is null, none is damaged. */
    tagma_buffer *validity, *damaged;
} tg_slot;

/* Columns of one branch, and the baskets they need. */
typedef struct tg_group {
    uint32_t branch;
    uint32_t first_slot; /* TAGMA_NONE: the baskets are only unpacked */
    uint32_t last_slot;
    uint32_t first_job, n_jobs;
    bool is_split; /* other columns of the branch come in the second phase */
} tg_group;

typedef struct tg_job {
    uint64_t basket;
    uint64_t row, n_rows; /* of the call */
    uint32_t group;
    bool keep;                   /* a later call or phase will want it */
    bool is_read, is_deferred;   /* set by the worker: the basket was read; it waits for all_counts */
    tg_kept_basket *kept;        /* unpacked before; or now, where is_read */
    const tg_counts *all_counts; /* of every entry of the basket, from row all_row on; NULL */
    uint64_t all_row;
} tg_job;

typedef struct tg_call {
    tg_fetcher *fetcher;
    tg_rows rows;
    bool is_check;    /* values are decoded and dropped */
    bool is_counting; /* the first phase */
    bool is_inner;    /* part of another call, which needs counts of more rows: what it reads is kept */
    tg_slot *slots;   /* [n_slots]; the first n_wanted are the columns asked for, in that order */
    uint32_t n_slots, n_wanted;
    tg_group *groups;
    uint32_t n_groups;
    uint64_t groups_capacity;
    tg_job *jobs;
    uint64_t n_jobs, jobs_capacity;
    uint64_t n_begun; /* baskets that begin in the call's rows, of both phases */
    tg_span *spans;
    tg_extent *extents;
    tg_segment **segments;
    uint64_t n_segments, segments_capacity;
    tg_loss loss;
    uint64_t keep_room;
    _Atomic uint64_t keeping; /* bytes kept by workers so far */
} tg_call;

/* Columns asked for, and those that count them. `rows` must outlive the call. */
tagma_status tg_call_new(tagma_ctx *ctx, tg_fetcher *fetcher, const tg_rows *rows, const uint32_t *columns,
                         uint32_t n_columns, bool is_check, tg_call *call);
/* Also unpack the baskets of a branch that begin in the call's rows. Before tg_call_run(). */
tagma_status tg_call_add_branch(tagma_ctx *ctx, tg_call *call, uint32_t branch);
/* Read and decode. What could not be read stands in call->loss. */
tagma_status tg_call_run(tagma_ctx *ctx, tg_call *call, const char *phase);
/* Deliver the wanted columns; see root/gather.c. */
tagma_status tg_call_batch(tagma_ctx *ctx, tg_call *call, tagma_batch **out);
void tg_call_free(tagma_ctx *ctx, tg_call *call);
/* Give back the room in the fetcher, so that another call may begin while this one's values are still used. */
void tg_call_leave(const tg_call *call);

/* Inside: jobs.c lists the baskets, place.c does one, tally.c turns counters into counts. */

/* Jobs of every group; rows that no basket holds go to call->loss. */
tagma_status tg_call_list_jobs(tagma_ctx *ctx, tg_call *call);
/* Read and do the jobs of a phase; those that wait for counts of other rows are left with is_deferred. */
tagma_status tg_call_run_jobs(tagma_ctx *ctx, tg_call *call, const char *phase);
/* The same for jobs that waited and have their counts now. */
tagma_status tg_call_rerun_jobs(tagma_ctx *ctx, tg_call *call, const char *phase);
/* Get the counts that jobs wait for, and do those. */
tagma_status tg_call_run_waiting(tagma_ctx *ctx, tg_call *call, const char *phase);
/* Do one job. `record` is NULL for one that needs no reading. Losses go to the worker's. */
tagma_status tg_job_run(tagma_ctx *ctx, tg_call *call, tg_worker *worker, tg_job *job, const uint8_t *record);
/* All rows of a job are lost, with the words of ctx. */
tagma_status tg_job_lose(tagma_ctx *ctx, const tg_call *call, tg_loss *loss, const tg_job *job,
                         tagma_status st);
/* Value i of a counter; what is negative becomes larger than any count. */
uint64_t tg_count_at(uint8_t type, const uint8_t *values, uint64_t i);
/* Values and nulls of a counter slot become its counts. */
tagma_status tg_slot_count(tagma_ctx *ctx, tg_call *call, uint32_t slot);

static inline uint64_t tg_row_entry(const tg_rows *rows, uint64_t row)
{
    return rows->entries ? rows->entries[row] : rows->first + row;
}

#endif
