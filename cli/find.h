/* SPDX-License-Identifier: Apache-2.0
 * Ids to entries, over all files, before anything is read. */
#ifndef CLI_FIND_H
#define CLI_FIND_H

#include "cli/idaxes.h"
#include "cli/inputs.h"

/* An entry that a listed id names. */
typedef struct cli_hit {
    uint32_t id; /* in the list; of equal ones the first */
    uint32_t file;
    uint64_t entry;
} cli_hit;

typedef struct cli_find_file {
    tagma_events *events; /* kept open where the files are few; else NULL */
    tagma_reader *reader; /* kept with its cache where there is one file only */
    uint64_t n_entries, bytes;
    long long changed_s, changed_ns; /* of the file, when it was looked at */
    bool is_searched;                /* false: ids that are not found are unknown, not missing */
} cli_find_file;

typedef struct cli_find {
    cli_session *session;
    const cli_inputs *inputs;
    cli_find_file *files; /* [inputs->n] */
    uint64_t n_unsearched;
    cli_text causes;  /* why, each closed by a NUL */
    cli_text friends; /* what was told of friends, each closed by a NUL */
    bool has_axes;    /* a file was opened, and the list read against it */
    cli_axes axes;    /* axes.n == 0: no ids, only @N */
    tagma_id *ids;    /* [n] as listed */
    size_t n;
    uint32_t *twins;   /* [n] the first of equal ids */
    size_t n_repeated; /* ids listed before */
    cli_hit *hits;     /* by id, then file, then entry */
    size_t n_hits, hits_capacity;
    size_t *begins;             /* [n + 1] in hits; equal ids have theirs at the first */
    uint8_t *depths;            /* [n] leading axes of it that some file has */
    uint64_t least[2], most[2]; /* first axis: 0 in the files, 1 in the list */
    bool has_range[2];
    double index_seconds;
    uint64_t n_built, n_kept;
} cli_find;

/* Open each file, read the ids against the first, and look all of them up.
 * @return 0; 1 for an empty list; 2 where nothing can be delivered. Words are told. Free it in any case. */
int cli_find_all(cli_find *find, cli_session *session, const cli_inputs *inputs);
void cli_find_free(cli_find *find);

/* The events of a file again, for reading; release them. @return the library's status. */
tagma_status cli_find_events(cli_find *find, uint32_t file, tagma_events **out);
/* Tell why that failed. @return 2, or 0 where the other files keep their worth. */
int cli_find_failed(cli_find *find, uint32_t file, tagma_status st);
/* Hits of listed id i, whether it is the first of its kind or not. */
const cli_hit *cli_find_hits(const cli_find *find, size_t i, size_t *n);

/* What is missing, unknown, repeated, and why, on stderr. The exit code is raised. */
void cli_find_tell(cli_find *find);
/* The axis at which a listed id without hits leaves the files: "run", "lumi", "event", "entry". */
const char *cli_find_reason(const cli_find *find, size_t i);
/* --missing: the ids that are not there, a line each. @return 0, or 2 with words. */
int cli_find_write_missing(const cli_find *find, const char *path);

#endif
