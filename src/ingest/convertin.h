/* SPDX-License-Identifier: Apache-2.0
 * The inputs of a conversion: opened, found alike, and what of them is taken. */
#ifndef TG_INGEST_CONVERTIN_H
#define TG_INGEST_CONVERTIN_H

#include <tagma/store.h>

#include "base/arena.h"
#include "store/provenance.h"

/* One input, when it was looked at. */
typedef struct tg_input {
    const char *path, *tree;
    uint64_t first, n_entries; /* first: counted over all inputs in turn */
    uint64_t entry_bytes;      /* of an average entry, unpacked: a guess */
} tg_input;

typedef struct tg_inputs {
    const tagma_convert_options *options;
    tg_input *at; /* [n] */
    uint32_t n;
    tagma_events *first;  /* of input 0 */
    tagma_schema *schema; /* of the columns taken, in the order of input 0 */
    uint32_t n_columns;
    const tagma_schema *whole; /* `schema`, also where that is cut down: what each input must have */
    uint64_t n_entries, bytes; /* of all files */
    tagma_ids ids;             /* columns of `schema`; n_axes 0 where there are none, or none are wanted */
    tg_arena words;            /* what sources and absents point to */
    tg_provenance_source *sources; /* [n] */
    tg_provenance_absent *absents; /* [n_absents] */
    uint64_t n_absents, absents_capacity;
} tg_inputs;

/* Look at all inputs: schemas, what can be read, what else is in the files. Whatever must be refused is refused here. */
tagma_status tg_inputs_new(tagma_ctx *ctx, const tagma_convert_input *inputs, uint32_t n,
                           const tagma_convert_options *options, tg_inputs *out);
void tg_inputs_free(tagma_ctx *ctx, tg_inputs *inputs);

/* Open input i again, and find the columns taken in it.
 * @param columns  [n_columns] out: of the input, in the order of inputs->schema.
 * @return also TAGMA_E_CHANGED where it is not what it was. */
tagma_status tg_inputs_open(tagma_ctx *ctx, const tg_inputs *inputs, uint32_t i, uint32_t *columns,
                            tagma_events **out);

/* What is not in the store: absents.c. */

/* A column of input `source` that is not taken; told once, whichever input has it. */
tagma_status tg_absent_column(tagma_ctx *ctx, tg_inputs *inputs, uint32_t source, const tagma_schema *schema,
                              uint32_t column);
/* Trees and objects of a file beside the tree that is taken, and its friends. */
tagma_status tg_absent_others(tagma_ctx *ctx, tg_inputs *inputs, uint32_t source, tagma_file *file,
                              const tagma_events *events);
/* TAGMA_E_UNSUPPORTED naming what strict_objects does not allow. */
tagma_status tg_absent_refuse(tagma_ctx *ctx, const tg_inputs *inputs);

#endif
