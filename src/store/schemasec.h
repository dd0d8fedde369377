/* SPDX-License-Identifier: Apache-2.0
 * The schema section: a schema as bytes, and used where they lie. Source: docs/FORMAT.md, "Schema section". */
#ifndef TG_STORE_SCHEMASEC_H
#define TG_STORE_SCHEMASEC_H

#include <tagma/schema.h>

#include "base/ctx.h"
#include "store/storehead.h"

/* TAGMA_E_UNSUPPORTED for a column that cannot be stored. */
tagma_status tg_schemasec_write(tagma_ctx *ctx, const tagma_schema *schema, const char *tree,
                                const char *title, tg_buf *out);

/* What a loaded section gives; texts are borrowed from the schema. */
typedef struct tg_schemasec {
    tagma_schema *schema;
    const char *tree, *title;
} tg_schemasec;

enum { TG_SCHEMASEC_HEAD = 64 }; /* no section is shorter */
/* @param bytes  the section, its checksum verified, at a multiple of 4; where own is not NULL that is where it lies, and the schema
 *               takes it over, except after a failure. Else they are borrowed as long as the schema, of a machine whose numbers
 *               are those of the file. */
tagma_status tg_schemasec_load(tagma_ctx *ctx, const uint8_t *bytes, uint8_t *own, const tg_section *section,
                               const tg_header *header, const char *file, tg_schemasec *out);

#endif
