/* SPDX-License-Identifier: Apache-2.0
 * Id columns: candidates by name, one for each axis. */
#include "index/idnames.h"

#include <string.h>

#include "base/num.h"
#include "coord/idname.h"
#include "event/schema.h"

static bool can_be_id(const tagma_column *column)
{
    return !column->reason && column->type != TAGMA_STRING && column->type != TAGMA_BOOL &&
           column->n_items == 1 && column->n_lists <= 1;
}

static bool is_signed(tagma_type type)
{
    return type == TAGMA_I8 || type == TAGMA_I16 || type == TAGMA_I32 || type == TAGMA_I64 ||
           type == TAGMA_F32 || type == TAGMA_F64;
}

static void add_axis(const tagma_schema *schema, uint32_t column, const char *role, tagma_ids *out)
{
    out->columns[out->n_axes] = column;
    out->roles[out->n_axes] = role;
    out->is_signed[out->n_axes] = is_signed(tagma_schema_column(schema, column)->type);
    out->n_axes++;
}

static const char *column_name(const void *user, uint64_t i)
{
    return tagma_schema_column(user, (uint32_t)i)->name;
}

/* One name of --ids. */
static tagma_status add_named(tagma_ctx *ctx, const tagma_schema *schema, const char *name, tagma_ids *out)
{
    uint32_t c = tagma_schema_find(schema, name);
    const tagma_column *column = tagma_schema_column(schema, c);
    char words[256];

    if (!column) {
        tg_near_names(name, column_name, schema, tagma_schema_n_columns(schema), words, sizeof words);
        return tg_fail(ctx, TAGMA_E_NAME, "no branch named \"%s\"%s", name, words);
    }
    if (column->reason)
        return tg_fail(ctx, TAGMA_E_NAME, "branch %s cannot name events: %s", name, column->reason);
    if (!can_be_id(column)) {
        tagma_schema_spell(schema, c, words, sizeof words);
        return tg_fail(ctx, TAGMA_E_NAME, "branch %s is %s and cannot name events; an integer is needed",
                       name, words);
    }
    add_axis(schema, c, "", out);
    return TAGMA_OK;
}

static tagma_status find_named(tagma_ctx *ctx, const tagma_schema *schema, const char *named, tagma_ids *out)
{
    char *own = tg_strdup(ctx, named), *p = own;
    tagma_status st = own ? TAGMA_OK : TAGMA_E_MEMORY;

    while (st == TAGMA_OK && p) {
        char *comma = strchr(p, ',');

        if (comma)
            *comma = 0;
        if (out->n_axes == TAGMA_MAX_ID_AXES)
            st = tg_fail(ctx, TAGMA_E_ARG, "--ids takes 1 to %d branches, \"%s\" names more",
                         TAGMA_MAX_ID_AXES, named);
        else
            st = add_named(ctx, schema, p, out);
        p = comma ? comma + 1 : NULL;
    }
    tg_free(ctx, own);
    return st;
}

static tagma_status none_found(tagma_ctx *ctx, const char *tree)
{
    return tg_fail(
        ctx, TAGMA_ABSENT,
        "no id columns found in tree %s. Looked for an event number (%s), a run (%s) and a luminosity block "
        "(%s), compared without case and \"_\". Name them with --ids A,B,C, or give entries as @N",
        tree, tg_id_role_spellings(TG_ROLE_EVENT), tg_id_role_spellings(TG_ROLE_RUN),
        tg_id_role_spellings(TG_ROLE_LUMI));
}

tagma_status tg_ids_find(tagma_ctx *ctx, const tagma_schema *schema, const char *tree, const char *named,
                         tagma_ids *out)
{
    uint32_t found[TG_ROLE_NONE] = {TAGMA_NONE, TAGMA_NONE, TAGMA_NONE};

    memset(out, 0, sizeof *out);
    if (named)
        return find_named(ctx, schema, named, out);
    for (uint32_t c = 0; c < tagma_schema_n_columns(schema); c++) {
        const tagma_column *column = tagma_schema_column(schema, c);
        tg_id_role role =
            can_be_id(column) ? tg_id_role_of(column->name, strlen(column->name)) : TG_ROLE_NONE;

        if (role == TG_ROLE_NONE)
            continue;
        if (found[role] != TAGMA_NONE)
            return tg_fail(ctx, TAGMA_E_NAME,
                           "tree %s has two candidates for the %s column: %s and %s. Name the id columns "
                           "with --ids A,B,C",
                           tree, tg_id_role_name(role), tagma_schema_column(schema, found[role])->name,
                           column->name);
        found[role] = c;
    }
    if (found[TG_ROLE_EVENT] == TAGMA_NONE)
        return none_found(ctx, tree);
    for (int role = TG_ROLE_RUN; role < TG_ROLE_NONE; role++)
        if (found[role] != TAGMA_NONE)
            add_axis(schema, found[role], tg_id_role_name((tg_id_role)role), out);
    return TAGMA_OK;
}

/* A value of a type that holds whole numbers, widened to 64 bits with its sign. */
static uint64_t whole_at(tagma_type type, const void *values, uint64_t i)
{
    switch (type) {
    case TAGMA_I8:
        return (uint64_t)(int64_t)((const int8_t *)values)[i];
    case TAGMA_U8:
        return ((const uint8_t *)values)[i];
    case TAGMA_I16:
        return (uint64_t)(int64_t)((const int16_t *)values)[i];
    case TAGMA_U16:
        return ((const uint16_t *)values)[i];
    case TAGMA_I32:
        return (uint64_t)(int64_t)((const int32_t *)values)[i];
    case TAGMA_U32:
        return ((const uint32_t *)values)[i];
    default:
        return ((const uint64_t *)values)[i];
    }
}

/* A float that is a whole number and could not be the rounding of another one. */
static tagma_status float_at(tagma_ctx *ctx, const char *name, tagma_type type, const void *values,
                             uint64_t i, uint64_t entry, uint64_t *out)
{
    double v = type == TAGMA_F32 ? (double)((const float *)values)[i] : ((const double *)values)[i];
    double bound = type == TAGMA_F32 ? 16777216.0 : 9007199254740992.0;

    if (!(v > -bound && v < bound) || v != (double)(int64_t)v)
        return tg_fail(ctx, TAGMA_E_UNSUPPORTED,
                       "branch %s is %s and cannot name events: entry %" PRIu64
                       " holds %.17g, expected a whole number below 2^%d",
                       name, tagma_type_name(type), entry, v, type == TAGMA_F32 ? 24 : 53);
    *out = (uint64_t)(int64_t)v;
    return TAGMA_OK;
}

static bool bit_at(const uint8_t *bits, uint64_t i)
{
    return bits[i / 8] >> (i % 8) & 1;
}

/* Is there exactly one value in entry i of the batch? */
static tagma_status check_entry(tagma_ctx *ctx, const char *name, const tagma_batch_column *column,
                                uint64_t i, uint64_t entry)
{
    if (column->damaged && bit_at(column->damaged, i))
        return tg_fail(ctx, TAGMA_E_CORRUPT, "id column %s is damaged at entry %" PRIu64, name, entry);
    if (column->validity && !bit_at(column->validity, i))
        return tg_fail(ctx, TAGMA_E_UNSUPPORTED, "id column %s has no value in entry %" PRIu64, name, entry);
    if (column->n_levels > 0 && column->offsets[0][i + 1] - column->offsets[0][i] != 1)
        return tg_fail(ctx, TAGMA_E_UNSUPPORTED,
                       "id column %s is a list with %" PRIu32 " elements in entry %" PRIu64
                       ", expected exactly one",
                       name, column->offsets[0][i + 1] - column->offsets[0][i], entry);
    return TAGMA_OK;
}

tagma_status tg_ids_values(tagma_ctx *ctx, const char *name, const tagma_batch *batch, uint32_t i,
                           uint64_t first_entry, uint64_t *axis)
{
    const tagma_batch_column *column = tagma_batch_column_at(batch, i);
    bool is_float = column->type == TAGMA_F32 || column->type == TAGMA_F64;
    bool is_plain = column->status == TAGMA_COLUMN_GOOD && column->n_levels == 0;

    for (uint64_t k = 0; k < tagma_batch_n_entries(batch); k++) {
        if (!is_plain)
            TG_TRY(check_entry(ctx, name, column, k, first_entry + k));
        /* Every list up to here has one element, so value k is entry k's. */
        if (is_float)
            TG_TRY(float_at(ctx, name, column->type, column->values, k, first_entry + k, &axis[k]));
        else
            axis[k] = whole_at(column->type, column->values, k);
    }
    return TAGMA_OK;
}
