/* SPDX-License-Identifier: Apache-2.0
 * What verify and diff found: a line a column on stdout, or JSON; words on stderr. */
#include "cli/differ.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/idaxes.h"
#include "cli/json.h"
#include "cli/outfile.h"
#include "cli/reads.h"
#include "cli/say.h"

enum { VALUE_BYTES = 60, NAMES_TOLD = 10 };

static const char *const alignments[] = {"entry", "id", "origin"};

typedef struct telling {
    cli_session *session;
    const tagma_comparison *comparison;
    tagma_comparison_info info;
    const cli_side *sides; /* [2] */
    cli_text text;
    cli_json json;
} telling;

/* The events of a side, for a moment; release them. NULL with words. */
static tagma_events *events_of(telling *t, int side, uint32_t source)
{
    const cli_side *it = &t->sides[side];
    tagma_events *events = NULL;

    if (it->events != NULL)
        return tagma_events_acquire(it->events);
    if (cli_open(t->session, &it->inputs[source], TAGMA_SIDECAR_NONE, &events) < 0)
        cli_failed(t->session);
    return events;
}

/* One entry of some columns. NULL with words. */
static tagma_batch *read_one(telling *t, tagma_events *events, uint64_t entry, const uint32_t *columns,
                             uint32_t n)
{
    tagma_reader *reader;
    tagma_batch *batch = NULL;

    if (cli_reader(t->session, events, &reader) != 0)
        return NULL;
    if (tagma_read_rows(t->session->ctx, reader, &entry, 1, columns, n, &batch) < 0)
        cli_failed(t->session);
    cli_reader_done(t->session, reader);
    return batch;
}

static void put_id(telling *t, int side, uint32_t source, uint64_t entry, cli_text *to)
{
    tagma_events *events = events_of(t, side, source);
    cli_cell cells[TAGMA_MAX_ID_AXES];
    tagma_batch *batch = NULL;
    tagma_ids ids = {0};

    if (events != NULL && tagma_events_ids(t->session->ctx, events, &ids) == TAGMA_OK)
        batch = read_one(t, events, entry, ids.columns, ids.n_axes);
    for (uint32_t a = 0; batch != NULL && a < ids.n_axes; a++)
        cells[a] = (cli_cell){tagma_schema_column(tagma_events_schema(events), ids.columns[a]),
                              tagma_batch_column_at(batch, a)};
    cli_put_id_cells(to, cells, batch != NULL ? ids.n_axes : 0, 0, entry);
    tagma_batch_free(batch);
    tagma_events_release(events);
}

/* Value `item` of all that the only entry of a batch has. */
static void put_item(cli_text *to, const cli_cell *cell, int64_t item)
{
    tagma_column column = *cell->column;
    tagma_batch_column values = *cell->values;
    cli_cell one = {&column, &values};

    column.n_lists = column.n_dims = 0;
    column.n_items = values.n_items = 1;
    values.n_levels = 0;
    values.validity = NULL;
    cli_value_json(to, &one, (uint64_t)item);
}

/* The bytes of the first value, for floats that read alike and are not. */
static void put_bits(cli_text *to, const cli_cell *cell, int64_t item)
{
    size_t width = tagma_type_bytes(cell->column->type);
    const uint8_t *bytes = (const uint8_t *)cell->values->values + (size_t)(item < 0 ? 0 : item) * width;

    cli_text_words(to, " (0x");
    for (size_t i = width; i > 0; i--)
        cli_text_format(to, "%02x", bytes[i - 1]);
    cli_text_char(to, ')');
}

static void put_value(telling *t, int side, const tagma_compared_column *c, bool has_bits, cli_text *to)
{
    uint32_t column = side == 0 ? c->column_a : c->column_b;
    uint64_t entry = side == 0 ? c->entry_a : c->entry_b;
    tagma_events *events = events_of(t, side, side == 0 ? 0 : c->source);
    tagma_batch *batch = events != NULL ? read_one(t, events, entry, &column, 1) : NULL;
    size_t begin = to->n;
    cli_cell cell;

    if (batch == NULL) {
        cli_text_words(to, "?");
        tagma_events_release(events);
        return;
    }
    cell =
        (cli_cell){tagma_schema_column(tagma_events_schema(events), column), tagma_batch_column_at(batch, 0)};
    if (cell.column->type == TAGMA_BOOL && tagma_batch_bools(t->session->ctx, batch, 0, false) < 0)
        cli_failed(t->session);
    if (c->item >= 0 && (uint64_t)c->item < cell.values->n_values && cell.column->type != TAGMA_STRING)
        put_item(to, &cell, c->item);
    else
        cli_value_json(to, &cell, 0);
    if (to->n - begin > VALUE_BYTES) {
        to->n = begin + VALUE_BYTES;
        while (to->n > begin && (to->bytes[to->n - 1] & 0x80) != 0)
            to->n--;
        cli_text_words(to, "...");
    }
    if (has_bits && cell.values->n_values > 0)
        put_bits(to, &cell, c->item);
    tagma_batch_free(batch);
    tagma_events_release(events);
}

/* Both values, told apart where they read alike. */
static void put_values(telling *t, const tagma_compared_column *c, cli_text *a, cli_text *b)
{
    put_value(t, 0, c, false, a);
    put_value(t, 1, c, false, b);
    if (a->is_short || b->is_short || a->n != b->n || a->n == 0 || memcmp(a->bytes, b->bytes, a->n) != 0)
        return;
    a->n = b->n = 0;
    put_value(t, 0, c, true, a);
    put_value(t, 1, c, true, b);
}

/* Of a scalar there is nothing to be counted. */
static bool names_item(const tagma_compared_column *c)
{
    return c->item >= 0 && strchr(c->type_a, '[') != NULL && strncmp(c->type_a, "string", 6) != 0;
}

static void put_difference(telling *t, const tagma_compared_column *c)
{
    char n[2][CLI_NUMBER_BYTES];
    cli_text a = {0}, b = {0}, id = {0};

    put_values(t, c, &a, &b);
    put_id(t, 0, 0, c->entry_a, &id);
    cli_text_visible(&t->text, c->name, strlen(c->name));
    cli_text_format(&t->text, ": %s of %s event%s differ%s; first ", cli_grouped(c->n_different, n[0]),
                    cli_grouped(t->info.n_events, n[1]), cli_s(t->info.n_events),
                    c->n_different == 1 ? "s" : "");
    cli_text_put(&t->text, id.bytes, id.n);
    cli_text_format(&t->text, " (entry %" PRIu64, c->entry_a);
    if (c->entry_b != c->entry_a)
        cli_text_format(&t->text, " and %" PRIu64, c->entry_b);
    if (names_item(c))
        cli_text_format(&t->text, ", value %" PRId64, c->item);
    if (c->is_in_columns_section)
        cli_text_words(&t->text, ", in the columns section");
    cli_text_words(&t->text, "): ");
    cli_text_put(&t->text, a.bytes, a.n);
    cli_text_words(&t->text, " in ");
    cli_text_visible(&t->text, t->sides[0].name, strlen(t->sides[0].name));
    cli_text_words(&t->text, ", ");
    cli_text_put(&t->text, b.bytes, b.n);
    cli_text_words(&t->text, " in ");
    cli_text_visible(&t->text, t->sides[1].name, strlen(t->sides[1].name));
    cli_text_char(&t->text, '\n');
    cli_text_free(&a);
    cli_text_free(&b);
    cli_text_free(&id);
}

static void put_column(telling *t, const tagma_compared_column *c)
{
    if (c->relation == TAGMA_COMPARED && c->n_different > 0) {
        put_difference(t, c);
    } else if (c->relation == TAGMA_ONLY_A || c->relation == TAGMA_ONLY_B) {
        const char *name = t->sides[c->relation == TAGMA_ONLY_B].name;

        cli_text_visible(&t->text, c->name, strlen(c->name));
        cli_text_words(&t->text, ": only in ");
        cli_text_visible(&t->text, name, strlen(name));
        cli_text_char(&t->text, '\n');
    } else if (c->relation == TAGMA_OTHER_TYPE) {
        cli_text_visible(&t->text, c->name, strlen(c->name));
        cli_text_format(&t->text, ": %s in ", c->type_a);
        cli_text_visible(&t->text, t->sides[0].name, strlen(t->sides[0].name));
        cli_text_format(&t->text, ", %s in ", c->type_b);
        cli_text_visible(&t->text, t->sides[1].name, strlen(t->sides[1].name));
        cli_text_char(&t->text, '\n');
    }
}

static void put_only(telling *t, int side)
{
    uint64_t n = side == 0 ? t->info.n_only_a : t->info.n_only_b, entry;
    char number[CLI_NUMBER_BYTES];
    uint32_t source, i = 0;

    if (n == 0)
        return;
    cli_text_format(&t->text, "%s event%s only in ", cli_grouped(n, number), cli_s(n));
    cli_text_visible(&t->text, t->sides[side].name, strlen(t->sides[side].name));
    cli_text_words(&t->text, ":");
    for (; tagma_comparison_only(t->comparison, side, i, &entry, &source) == TAGMA_OK; i++) {
        cli_text_words(&t->text, i > 0 ? ", " : " ");
        put_id(t, side, source, entry, &t->text);
    }
    if (n > i)
        cli_text_format(&t->text, " and %s more", cli_grouped(n - i, number));
    cli_text_char(&t->text, '\n');
}

static void put_text(telling *t)
{
    tagma_compared_column c = {.struct_bytes = sizeof c};
    char number[CLI_NUMBER_BYTES];

    for (uint32_t i = 0; tagma_comparison_column(t->comparison, i, &c) == TAGMA_OK; i++)
        put_column(t, &c);
    put_only(t, 0);
    put_only(t, 1);
    if (t->info.n_unfound > 0) {
        cli_text_format(&t->text, "the index does not find %s event%s; first ",
                        cli_grouped(t->info.n_unfound, number), cli_s(t->info.n_unfound));
        put_id(t, 0, 0, t->info.first_unfound, &t->text);
        cli_text_format(&t->text, " (entry %" PRIu64 ")\n", t->info.first_unfound);
    }
}

static void json_only(telling *t, int side)
{
    uint64_t entry;
    uint32_t source;

    cli_json_key(&t->json, side == 0 ? "only_a" : "only_b");
    cli_json_open(&t->json, '{');
    cli_json_member_u64(&t->json, "events", side == 0 ? t->info.n_only_a : t->info.n_only_b);
    cli_json_key(&t->json, "first");
    cli_json_open(&t->json, '[');
    for (uint32_t i = 0; tagma_comparison_only(t->comparison, side, i, &entry, &source) == TAGMA_OK; i++) {
        cli_text id = {0};

        put_id(t, side, source, entry, &id);
        cli_text_char(&id, '\0');
        cli_json_string(&t->json, id.is_short ? "" : id.bytes);
        cli_text_free(&id);
    }
    cli_json_close(&t->json, ']');
    cli_json_close(&t->json, '}');
}

static void json_column(telling *t, const tagma_compared_column *c)
{
    static const char *const relations[] = {"compared",   "only_a",     "only_b",
                                            "other_type", "unreadable", "left_out"};
    cli_text a = {0}, b = {0}, id = {0};

    cli_json_open(&t->json, '{');
    cli_json_member_string(&t->json, "name", c->name);
    cli_json_member_string(&t->json, "relation", relations[c->relation]);
    cli_json_member_string(&t->json, "type_a", c->type_a);
    cli_json_member_string(&t->json, "type_b", c->type_b);
    if (*c->words != '\0')
        cli_json_member_string(&t->json, "words", c->words);
    if (c->relation == TAGMA_COMPARED)
        cli_json_member_u64(&t->json, "different", c->n_different);
    if (c->n_different > 0) {
        put_values(t, c, &a, &b);
        put_id(t, 0, 0, c->entry_a, &id);
        cli_text_char(&a, '\0');
        cli_text_char(&b, '\0');
        cli_text_char(&id, '\0');
        cli_json_member_string(&t->json, "id", id.is_short ? "" : id.bytes);
        cli_json_member_u64(&t->json, "entry_a", c->entry_a);
        cli_json_member_u64(&t->json, "entry_b", c->entry_b);
        if (names_item(c))
            cli_json_member_u64(&t->json, "value", (uint64_t)c->item);
        cli_json_member_string(&t->json, "a", a.is_short ? "" : a.bytes);
        cli_json_member_string(&t->json, "b", b.is_short ? "" : b.bytes);
    }
    cli_json_close(&t->json, '}');
    cli_text_free(&a);
    cli_text_free(&b);
    cli_text_free(&id);
}

static void put_json(telling *t)
{
    tagma_compared_column c = {.struct_bytes = sizeof c};

    cli_json_open(&t->json, '{');
    cli_json_member_string(&t->json, "a", t->sides[0].name);
    cli_json_member_string(&t->json, "b", t->sides[1].name);
    cli_json_member_bool(&t->json, "same", t->info.is_same);
    cli_json_member_string(&t->json, "aligned", alignments[t->info.alignment]);
    cli_json_member_u64(&t->json, "events", t->info.n_events);
    cli_json_member_u64(&t->json, "different_events", t->info.n_different);
    cli_json_member_u64(&t->json, "compared_columns", t->info.n_compared);
    cli_json_member_u64(&t->json, "different_columns", t->info.n_different_columns);
    cli_json_member_u64(&t->json, "damaged", t->info.n_damaged);
    if (t->info.alignment == TAGMA_BY_ORIGIN)
        cli_json_member_bool(&t->json, "has_index", t->info.has_index);
    cli_json_member_u64(&t->json, "not_found_by_index", t->info.n_unfound);
    json_only(t, 0);
    json_only(t, 1);
    cli_json_key(&t->json, "columns");
    cli_json_open(&t->json, '[');
    for (uint32_t i = 0; tagma_comparison_column(t->comparison, i, &c) == TAGMA_OK; i++)
        json_column(t, &c);
    cli_json_close(&t->json, ']');
    cli_json_close(&t->json, '}');
    cli_text_char(&t->json.text, '\n');
}

/* "left out of the store: a, b and 3 more" of the columns in one relation. */
static void tell_relation(telling *t, tagma_relation relation, const char *front)
{
    tagma_compared_column c = {.struct_bytes = sizeof c};
    char number[CLI_NUMBER_BYTES];
    cli_text names = {0};
    uint64_t n = 0;

    for (uint32_t i = 0; tagma_comparison_column(t->comparison, i, &c) == TAGMA_OK; i++) {
        if (c.relation != relation || n++ >= NAMES_TOLD)
            continue;
        cli_text_words(&names, n > 1 ? ", " : "");
        cli_text_visible(&names, c.name, strlen(c.name));
        if (*c.words != '\0') {
            cli_text_words(&names, " (");
            cli_text_visible(&names, c.words, strlen(c.words));
            cli_text_char(&names, ')');
        }
    }
    if (n > NAMES_TOLD)
        cli_text_format(&names, " and %s more", cli_grouped(n - NAMES_TOLD, number));
    cli_text_char(&names, '\0');
    if (n > 0 && !names.is_short)
        cli_word("%s: %s", front, names.bytes);
    cli_text_free(&names);
}

/* Of a store with ids: they were compared as its other branches were, and nothing more was looked at. */
static void tell_no_index(telling *t)
{
    const tagma_schema *schema = tagma_events_schema(t->sides[0].events);
    cli_text names = {0};
    tagma_ids ids;

    if (tagma_events_ids(t->session->ctx, t->sides[0].events, &ids) != TAGMA_OK)
        return;
    for (uint32_t a = 0; a < ids.n_axes; a++) {
        const char *name = tagma_schema_column(schema, ids.columns[a])->name;

        cli_text_words(&names, a > 0 ? ", " : "");
        cli_text_visible(&names, name, strlen(name));
    }
    cli_text_char(&names, '\0');
    if (!names.is_short)
        cli_word("%s has no index of its id columns (%s): they were compared as any branch is",
                 t->sides[0].name, names.bytes);
    cli_text_free(&names);
}

static void tell_result(telling *t)
{
    const tagma_comparison_info *info = &t->info;
    char n[3][CLI_NUMBER_BYTES];

    if (info->alignment == TAGMA_BY_ORIGIN && !info->has_index)
        tell_no_index(t);
    tell_relation(t, TAGMA_UNREADABLE, "not compared, since this version cannot read them");
    tell_relation(t, TAGMA_LEFT_OUT, "not in the store");
    if (info->n_damaged > 0)
        cli_word("%s value%s could not be compared: damaged", cli_grouped(info->n_damaged, n[0]),
                 cli_s(info->n_damaged));
    cli_word("%s and %s: %s event%s by %s, %s branch%s: %s", t->sides[0].name, t->sides[1].name,
             cli_grouped(info->n_events, n[0]), cli_s(info->n_events), alignments[info->alignment],
             cli_grouped(info->n_compared, n[1]), info->n_compared == 1 ? "" : "es",
             info->is_same ? "the same" : "different");
}

int cli_tell_comparison(cli_session *session, const tagma_comparison *comparison, const cli_side *a,
                        const cli_side *b)
{
    const cli_side sides[2] = {*a, *b};
    telling t = {.session = session, .comparison = comparison, .sides = sides, .json = CLI_JSON_INIT};
    cli_text *text = session->opts->json ? &t.json.text : &t.text;

    t.info.struct_bytes = sizeof t.info;
    tagma_comparison_get_info(comparison, &t.info);
    if (session->opts->json)
        put_json(&t);
    else
        put_text(&t);
    if (text->is_short)
        cli_raise(session, cli_no_memory());
    else if (text->n > 0)
        cli_raise(session, cli_out_write(session->opts->out, text->bytes, text->n));
    tell_result(&t);
    cli_text_free(&t.text);
    cli_text_free(&t.json.text);
    if (!t.info.is_same)
        cli_raise(session, t.info.n_damaged > 0 ? 2 : 1);
    return session->status;
}
