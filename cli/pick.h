/* SPDX-License-Identifier: Apache-2.0
 * What the files of pick_*.c share: which rows are delivered, in which order, and what became of them. */
#ifndef CLI_PICK_H
#define CLI_PICK_H

#include "cli/find.h"
#include "cli/json.h"
#include "cli/origins.h"
#include "cli/reads.h"
#include "cli/spool.h"
#include "cli/writer.h"

/* One entry of one file, delivered once or more. */
typedef struct cli_row {
    uint64_t entry;
    uint64_t at;       /* of its text in the spool */
    uint32_t file, id; /* the listed id it was found by */
    uint32_t n_bytes, front_bytes;
    uint32_t n_times; /* how often it is delivered */
    bool is_grouped;  /* others have its id, too: kept, to be compared */
    bool is_read, is_damaged;
    const char *from; /* of a row that is_grouped: the file and entry it is told as; NULL before it is read */
    uint64_t from_entry;
} cli_row;

typedef enum cli_verdict { CLI_EQUAL, CLI_DIFFERENT, CLI_NOT_COMPARED } cli_verdict;

/* An id that several entries have. */
typedef struct cli_group {
    uint32_t id;
    cli_verdict verdict;
} cli_group;

typedef struct cli_picking {
    cli_session *session;
    const cli_inputs *inputs;
    cli_find find;
    cli_writer writer;
    cli_row *rows; /* [n_rows] by file, then entry */
    size_t n_rows;
    uint32_t *sequence; /* [n_sequence] rows in the order of delivery */
    size_t n_sequence;
    uint64_t n_more;  /* entries that --count leaves out */
    bool is_straight; /* that order is the rows' own: nothing need wait */
    cli_spool spool;
    cli_text text, id_text;
    cli_group *groups;
    size_t n_groups;
    cli_json damaged; /* of the report */
    uint64_t n_more_columns;
    /* Of the file that is read now. */
    const char *path;
    const tagma_events *events;
    cli_origins origins;
    cli_selection selection;
    uint32_t *file_rows; /* those of its rows that are delivered */
    size_t n_file_rows;
    bool reads_ids;
    char **names; /* [n_names] what rows' `from` points to */
    size_t n_names;
} cli_picking;

/* pick_plan.c: rows, sequence and groups out of the hits. @return 0, or 2 with words. */
int cli_pick_plan(cli_picking *picking);
/* pick_read.c: read the rows and deliver them. @return 0, or 2 with words. */
int cli_pick_read(cli_picking *picking);
/* pick_report.c */
int cli_pick_compare(cli_picking *picking);
void cli_pick_tell_groups(const cli_picking *picking);
int cli_pick_report(const cli_picking *picking, const char *path);
/* A fault as it came, for the report. */
void cli_pick_note_fault(cli_picking *picking, const tagma_fault *fault);

/* The row of an entry that is among the rows. */
size_t cli_pick_row(const cli_picking *picking, uint32_t file, uint64_t entry);

#endif
