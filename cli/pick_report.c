/* SPDX-License-Identifier: Apache-2.0
 * What became of the ids: groups of equal ids compared, and the report. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/pick.h"
#include "cli/say.h"

enum { MAX_NAMED = 10 };

/* In the order of cli_verdict. */
static const char *const verdict_words[] = {"equal in all columns read", "different", "not compared"};

static bool can_compare(const cli_row *row)
{
    return row->is_read && !row->is_damaged;
}

/* The file and entry that a hit is told as. */
static cli_origin origin_of(const cli_picking *p, const cli_hit *hit)
{
    const cli_row *row = &p->rows[cli_pick_row(p, hit->file, hit->entry)];
    cli_origin own = {p->inputs->at[hit->file].path, hit->entry, NULL};

    return row->from == NULL ? own : (cli_origin){row->from, row->from_entry, NULL};
}

/* Texts of rows are equal where the values are: numbers are written so that they read back to the same bits. */
static int compare_group(cli_picking *p, cli_group *group, cli_text *first, cli_text *other)
{
    size_t n;
    const cli_hit *hits = cli_find_hits(&p->find, group->id, &n);
    const cli_row *a = &p->rows[cli_pick_row(p, hits[0].file, hits[0].entry)];

    if (!can_compare(a))
        return 0;
    if (cli_spool_get(&p->spool, a->at, a->n_bytes, first) != 0)
        return 2;
    for (size_t h = 1; h < n; h++) {
        const cli_row *b = &p->rows[cli_pick_row(p, hits[h].file, hits[h].entry)];
        if (!can_compare(b))
            return 0;
        if (cli_spool_get(&p->spool, b->at, b->n_bytes, other) != 0)
            return 2;
        if (a->n_bytes - a->front_bytes != b->n_bytes - b->front_bytes ||
            memcmp(first->bytes + a->front_bytes, other->bytes + b->front_bytes,
                   a->n_bytes - a->front_bytes) != 0) {
            group->verdict = CLI_DIFFERENT;
            return 0;
        }
    }
    group->verdict = CLI_EQUAL;
    return 0;
}

int cli_pick_compare(cli_picking *p)
{
    cli_text first = {0};
    cli_text other = {0};
    int status = 0;

    for (size_t g = 0; g < p->n_groups && status == 0 && cli_writer_wants_columns(&p->writer); g++)
        status = compare_group(p, &p->groups[g], &first, &other);
    cli_text_free(&first);
    cli_text_free(&other);
    return status;
}

static void tell_group(const cli_picking *p, const cli_group *group)
{
    const cli_hit *hits;
    cli_text text = {0};
    size_t n;

    hits = cli_find_hits(&p->find, group->id, &n);
    cli_put_id(&text, &p->find.axes, &p->find.ids[group->id]);
    cli_text_format(&text, ": %zu entries (", n);
    for (size_t h = 0; h < n && h < MAX_NAMED; h++) {
        cli_origin origin = origin_of(p, &hits[h]);
        if (h > 0)
            cli_text_words(&text, ", ");
        if (p->inputs->n > 1 || p->n_names > 1)
            cli_text_format(&text, "%s ", origin.file);
        cli_text_char(&text, '@');
        cli_text_u64(&text, origin.entry);
    }
    cli_text_format(&text, "%s), %s", n > MAX_NAMED ? ", ..." : "", verdict_words[group->verdict]);
    cli_text_char(&text, '\0');
    if (!text.is_short)
        cli_word("%s", text.bytes);
    cli_text_free(&text);
}

void cli_pick_tell_groups(const cli_picking *p)
{
    uint64_t counts[3] = {0};
    cli_text text = {0};
    char number[CLI_NUMBER_BYTES];
    const char *before = " (";

    if (p->n_groups == 0)
        return;
    for (size_t g = 0; g < p->n_groups; g++)
        counts[p->groups[g].verdict]++;
    cli_text_format(&text, "%s id%s several entries", cli_grouped(p->n_groups, number),
                    p->n_groups == 1 ? " has" : "s have");
    for (int v = 0; v < 3; v++) {
        if (counts[v] == 0)
            continue;
        cli_text_format(&text, "%s%s %s", before, cli_grouped(counts[v], number), verdict_words[v]);
        before = ", ";
    }
    cli_text_words(&text, ")");
    cli_text_char(&text, '\0');
    if (!text.is_short)
        cli_word("%s", text.bytes);
    cli_text_free(&text);
    for (size_t g = 0; g < p->n_groups && g < MAX_NAMED; g++)
        tell_group(p, &p->groups[g]);
}

void cli_pick_note_fault(cli_picking *p, const tagma_fault *fault)
{
    cli_json_fault(&p->damaged, fault);
}

static void put_id(const cli_picking *p, cli_json *json, size_t i)
{
    cli_text id = {0};

    cli_put_id(&id, &p->find.axes, &p->find.ids[i]);
    cli_text_char(&id, '\0');
    cli_json_string(json, id.is_short ? NULL : id.bytes);
    cli_text_free(&id);
}

static void put_absent(const cli_picking *p, cli_json *json, const char *key, bool wanted)
{
    size_t n;

    cli_json_key(json, key);
    cli_json_open(json, '[');
    for (size_t i = 0; i < p->find.n && wanted; i++) {
        cli_find_hits(&p->find, i, &n);
        if (n == 0)
            put_id(p, json, i);
    }
    cli_json_close(json, ']');
}

/* run, lumi and event stand always; id columns named by hand have their own names. */
static void put_reasons(const cli_picking *p, cli_json *json)
{
    const char *names[4 + TAGMA_MAX_ID_AXES] = {"run", "lumi", "event"};
    uint64_t counts[4 + TAGMA_MAX_ID_AXES] = {0};
    size_t n_names = 3;
    size_t n;

    for (size_t i = 0; i < p->find.n && p->find.n_unsearched == 0; i++) {
        const char *reason;
        size_t k = 0;
        cli_find_hits(&p->find, i, &n);
        if (n != 0)
            continue;
        reason = cli_find_reason(&p->find, i);
        while (k < n_names && strcmp(names[k], reason) != 0)
            k++;
        names[k] = reason;
        n_names += k == n_names;
        counts[k]++;
    }
    cli_json_key(json, "reasons");
    cli_json_open(json, '{');
    for (size_t k = 0; k < n_names; k++)
        cli_json_member_u64(json, names[k], counts[k]);
    cli_json_close(json, '}');
}

static void put_groups(const cli_picking *p, cli_json *json)
{
    cli_json_key(json, "duplicates");
    cli_json_open(json, '[');
    for (size_t g = 0; g < p->n_groups; g++) {
        size_t n;
        const cli_hit *hits = cli_find_hits(&p->find, p->groups[g].id, &n);
        cli_json_open(json, '{');
        cli_json_key(json, "coordinate");
        put_id(p, json, p->groups[g].id);
        cli_json_key(json, "rows");
        cli_json_open(json, '[');
        for (size_t h = 0; h < n; h++) {
            cli_origin origin = origin_of(p, &hits[h]);
            cli_json_open(json, '[');
            cli_json_string(json, origin.file);
            cli_json_u64(json, origin.entry);
            cli_json_close(json, ']');
        }
        cli_json_close(json, ']');
        cli_json_key(json, "equal");
        if (p->groups[g].verdict == CLI_NOT_COMPARED)
            cli_json_null(json);
        else
            cli_json_bool(json, p->groups[g].verdict == CLI_EQUAL);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void put_causes(const cli_picking *p, cli_json *json)
{
    const cli_text *causes = &p->find.causes;

    cli_json_key(json, "causes");
    cli_json_open(json, '[');
    for (size_t at = 0; at < causes->n; at += strlen(causes->bytes + at) + 1)
        cli_json_string(json, causes->bytes + at);
    cli_json_close(json, ']');
}

int cli_pick_report(const cli_picking *p, const char *path)
{
    cli_json json = CLI_JSON_INIT;
    uint64_t found = 0;
    size_t n;
    int status;

    for (size_t i = 0; i < p->find.n; i++) {
        cli_find_hits(&p->find, i, &n);
        found += n > 0;
    }
    cli_json_open(&json, '{');
    cli_json_member_u64(&json, "asked", p->find.n);
    cli_json_member_u64(&json, "found", found);
    cli_json_member_u64(&json, "repeated", p->find.n_repeated);
    put_absent(p, &json, "missing", p->find.n_unsearched == 0);
    put_absent(p, &json, "unknown", p->find.n_unsearched > 0);
    put_causes(p, &json);
    put_reasons(p, &json);
    put_groups(p, &json);
    cli_json_key(&json, "damaged");
    cli_json_open(&json, '[');
    cli_text_put(&json.text, p->damaged.text.bytes, p->damaged.text.n);
    cli_json_close(&json, ']');
    cli_json_close(&json, '}');
    cli_text_char(&json.text, '\n');
    status = json.text.is_short || p->damaged.text.is_short
                 ? cli_no_memory()
                 : cli_out_write(path, json.text.bytes, json.text.n);
    cli_text_free(&json.text);
    return status;
}
