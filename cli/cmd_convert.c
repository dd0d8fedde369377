/* SPDX-License-Identifier: Apache-2.0
 * tagma convert: a store of the events of one tree, of one file or of several end to end. */
#include <signal.h>
#include <stdlib.h>
#include <tagma/store.h>

#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/json.h"
#include "cli/outfile.h"
#include "cli/say.h"
#include "cli/storefacts.h"

/* Set by a signal: the conversion is given up, and what it began is put away. */
static volatile sig_atomic_t stopped_by;

static void on_signal(int number)
{
    stopped_by = number;
}

typedef struct converting {
    cli_session *session;
    const cli_inputs *inputs;
} converting;

static int on_progress(void *user, const tagma_progress *progress)
{
    converting *c = user;

    if (stopped_by != 0)
        return 1;
    return cli_progress(c->session, progress);
}

static tagma_store_layout layout_of(const char *name)
{
    if (name == NULL || strcmp(name, "tiles") == 0)
        return TAGMA_STORE_TILES;
    return strcmp(name, "fixed") == 0 ? TAGMA_STORE_FIXED : TAGMA_STORE_COLLECTION;
}

static void read_options(const cli_opts *opts, tagma_pool *pool, tagma_convert_options *options)
{
    options->io = cli_io(opts);
    options->ids = opts->ids;
    options->columns = opts->columns;
    options->drop = opts->drop;
    options->tile_events = (uint32_t)opts->tile;
    options->no_sparse = opts->no_sparse;
    options->hot = opts->hot;
    options->sort = opts->sort;
    options->skip_unsupported = opts->skip_unsupported;
    options->strict_objects = opts->strict_objects;
    options->sort_dir = getenv("TMPDIR");
    options->layout = layout_of(opts->layout);
    options->record_bytes = opts->record_bytes;
    options->max_output = opts->max_output;
    options->block_bytes = (uint32_t)opts->blocks;
    options->block_codec =
        opts->codec != NULL && strcmp(opts->codec, "lz4") == 0 ? TAGMA_BLOCKS_LZ4 : TAGMA_BLOCKS_ZSTD;
    options->pool = pool;
}

static const char *input_name(const converting *c, uint32_t source)
{
    return source < c->inputs->n ? c->inputs->at[source].path : "?";
}

/* "Runs (12 entries)", "1,200 TH1D": what of one kind is not in the store, of the first that have it. */
static void name_absents(const tagma_convert_summary *s, bool (*is_of)(tagma_absent_kind), cli_text *text)
{
    enum { SHOWN = 10 };
    char number[CLI_NUMBER_BYTES];
    uint64_t n = 0;

    for (uint32_t i = 0; i < s->n_absents; i++) {
        const tagma_absent *it = &s->absents[i];
        if (!is_of(it->kind) || n++ >= SHOWN)
            continue;
        if (n > 1)
            cli_text_words(text, ", ");
        cli_put_absent(text, it);
    }
    if (n > SHOWN)
        cli_text_format(text, " and %s more", cli_grouped(n - SHOWN, number));
    cli_text_char(text, '\0');
}

static bool is_object(tagma_absent_kind kind)
{
    return kind == TAGMA_ABSENT_OBJECTS || kind == TAGMA_ABSENT_TREE;
}

static bool is_weights(tagma_absent_kind kind)
{
    return kind == TAGMA_ABSENT_WEIGHTS;
}

static bool is_unsupported(tagma_absent_kind kind)
{
    return kind == TAGMA_ABSENT_UNSUPPORTED;
}

static void tell_absents(const tagma_convert_summary *s, bool (*is_of)(tagma_absent_kind), const char *front,
                         const char *end)
{
    cli_text text = {0};

    name_absents(s, is_of, &text);
    if (!text.is_short && text.n > 1)
        cli_word("%s%s%s", front, text.bytes, end);
    cli_text_free(&text);
}

static uint64_t count_absents(const tagma_convert_summary *s, tagma_absent_kind kind)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < s->n_absents; i++)
        n += s->absents[i].kind == kind;
    return n;
}

static void tell_ids(const tagma_convert_summary *s)
{
    cli_text text = {0};
    char n[2][CLI_NUMBER_BYTES];

    for (uint32_t a = 0; a < s->n_axes; a++)
        cli_text_format(&text, "%s%s%s%s", a > 0 ? " " : "", s->id_roles[a], *s->id_roles[a] ? "=" : "",
                        s->id_names[a]);
    cli_text_char(&text, '\0');
    if (s->n_axes > 0 && !text.is_short)
        cli_word("ids: %s", text.bytes);
    cli_text_free(&text);
    if (s->n_repeated_ids > 0)
        cli_word("%s id%s several entries, of %s ids; all are kept", cli_grouped(s->n_repeated_ids, n[0]),
                 s->n_repeated_ids == 1 ? " has" : "s have", cli_grouped(s->n_ids, n[1]));
}

/* "fixed: 38 x 41 x 70 = 109,060 slots of 11,304 bytes; 89,060 are empty, 1.0 GB; 0 B behind the values of records" */
static void tell_records(const tagma_convert_summary *s)
{
    cli_text text = {0};
    char n[5][CLI_NUMBER_BYTES];

    if (s->n_bounds == 0)
        return;
    for (uint32_t a = 0; a < s->n_bounds; a++)
        cli_text_format(&text, "%s%s", a > 0 ? " x " : "", cli_grouped(s->bounds[a], n[0]));
    if (s->n_bounds > 1)
        cli_text_format(&text, " = %s", cli_grouped(s->n_slots, n[0]));
    cli_text_char(&text, '\0');
    if (!text.is_short)
        cli_word(
            "fixed: %s slot%s of %s bytes; padding: %s empty slot%s, %s, and %s behind the values of records",
            text.bytes, cli_s(s->n_slots), cli_grouped(s->record_bytes, n[0]),
            cli_grouped(s->n_slots - s->n_events, n[1]), cli_s(s->n_slots - s->n_events),
            cli_bytes(s->empty_bytes, n[2]), cli_bytes(s->padding_bytes, n[3]));
    cli_text_free(&text);
}

static void tell_summary(const converting *c, const tagma_convert_summary *s)
{
    uint64_t n_dropped = count_absents(s, TAGMA_ABSENT_COLUMN);
    char n[5][CLI_NUMBER_BYTES];

    tell_ids(s);
    tell_absents(s, is_unsupported, "left out, since this version cannot read them: ", "");
    if (n_dropped > 0)
        cli_word("%s branch%s left out as asked", cli_grouped(n_dropped, n[0]), n_dropped == 1 ? "" : "es");
    tell_absents(s, is_object, "not in the store: ", "");
    tell_absents(s, is_weights, "sums of weights are not in the store, take them from the source: ", "");
    tell_records(s);
    cli_word("%s: %s event%s, %s branch%s; %s in, %s out, ratio %.2f", c->session->opts->out,
             cli_grouped(s->n_events, n[0]), cli_s(s->n_events), cli_grouped(s->n_columns, n[1]),
             s->n_columns == 1 ? "" : "es", cli_bytes(s->bytes_in, n[2]), cli_bytes(s->bytes_out, n[3]),
             s->bytes_out > 0 ? (double)s->bytes_in / (double)s->bytes_out : 0.0);
    cli_word("%.2f s: reading %.2f, encoding %.2f, sorting %.2f, index %.2f, syncing %.2f", s->seconds,
             s->seconds_reading, s->seconds_encoding, s->seconds_sorting, s->seconds_index,
             s->seconds_syncing);
}

static void json_absents(const converting *c, cli_json *json, const tagma_convert_summary *s)
{
    cli_json_key(json, "absent");
    cli_json_open(json, '[');
    for (uint32_t i = 0; i < s->n_absents; i++) {
        const tagma_absent *it = &s->absents[i];
        cli_json_open(json, '{');
        cli_json_member_string(json, "file", input_name(c, it->source));
        cli_json_absent(json, it);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void json_seconds(cli_json *json, const tagma_convert_summary *s)
{
    cli_json_key(json, "seconds");
    cli_json_open(json, '{');
    cli_json_member_f64(json, "all", s->seconds);
    cli_json_member_f64(json, "reading", s->seconds_reading);
    cli_json_member_f64(json, "encoding", s->seconds_encoding);
    cli_json_member_f64(json, "sorting", s->seconds_sorting);
    cli_json_member_f64(json, "index", s->seconds_index);
    cli_json_member_f64(json, "syncing", s->seconds_syncing);
    cli_json_close(json, '}');
}

static void json_records(cli_json *json, const tagma_convert_summary *s)
{
    cli_json_key(json, "fixed");
    cli_json_open(json, '{');
    cli_json_key(json, "bounds");
    cli_json_open(json, '[');
    for (uint32_t a = 0; a < s->n_bounds; a++)
        cli_json_u64(json, s->bounds[a]);
    cli_json_close(json, ']');
    cli_json_member_u64(json, "slots", s->n_slots);
    cli_json_member_u64(json, "record_bytes", s->record_bytes);
    cli_json_member_u64(json, "empty_bytes", s->empty_bytes);
    cli_json_member_u64(json, "padding_bytes", s->padding_bytes);
    cli_json_member_u64(json, "first_items", s->n_first_items);
    cli_json_close(json, '}');
}

static int put_json(const converting *c, const tagma_convert_summary *s)
{
    cli_json json = CLI_JSON_INIT;
    int status;

    cli_json_open(&json, '{');
    cli_json_member_string(&json, "file", c->session->opts->out);
    cli_json_member_u64(&json, "inputs", c->inputs->n);
    cli_json_member_u64(&json, "events", s->n_events);
    cli_json_member_u64(&json, "clusters", s->n_clusters);
    cli_json_member_u64(&json, "columns", s->n_columns);
    cli_json_member_u64(&json, "hot_columns", s->n_hot);
    cli_json_member_u64(&json, "bytes_in", s->bytes_in);
    cli_json_member_u64(&json, "bytes_out", s->bytes_out);
    cli_json_member_u64(&json, "value_bytes", s->raw_bytes);
    cli_json_member_u64(&json, "tile_bytes", s->tile_bytes);
    cli_json_member_u64(&json, "hot_bytes", s->hot_bytes);
    cli_json_member_u64(&json, "index_bytes", s->index_bytes);
    if (s->n_bounds > 0)
        json_records(&json, s);
    cli_json_key(&json, "ids");
    cli_json_open(&json, '{');
    for (uint32_t a = 0; a < s->n_axes; a++)
        cli_json_member_string(&json, *s->id_roles[a] ? s->id_roles[a] : s->id_names[a], s->id_names[a]);
    cli_json_close(&json, '}');
    cli_json_member_u64(&json, "distinct", s->n_ids);
    cli_json_member_u64(&json, "repeated", s->n_repeated_ids);
    json_absents(c, &json, s);
    json_seconds(&json, s);
    cli_json_close(&json, '}');
    cli_text_char(&json.text, '\n');
    status = json.text.is_short ? cli_no_memory() : cli_out_write(NULL, json.text.bytes, json.text.n);
    cli_text_free(&json.text);
    return status;
}

static int convert(converting *c)
{
    const cli_opts *opts = c->session->opts;
    tagma_convert_options options = TAGMA_CONVERT_OPTIONS_INIT;
    tagma_convert_summary summary = {.struct_bytes = sizeof summary};
    tagma_convert_input *inputs = calloc(c->inputs->n, sizeof *inputs);
    tagma_status st;
    int status = 0;

    if (inputs == NULL)
        return cli_no_memory();
    for (size_t i = 0; i < c->inputs->n; i++)
        inputs[i] = (tagma_convert_input){c->inputs->at[i].path, c->inputs->at[i].tree};
    read_options(opts, c->session->pool, &options);
    tagma_ctx_on_progress(c->session->ctx, on_progress, c);
    cli_enter(c->session, CLI_PHASE_WRITE);
    st = tagma_convert(c->session->ctx, inputs, (uint32_t)c->inputs->n, opts->out, &options, &summary);
    free(inputs);
    if (st < 0)
        return cli_failed(c->session);
    cli_say_bar("");
    tell_summary(c, &summary);
    if (opts->json)
        status = put_json(c, &summary);
    tagma_convert_summary_free(c->session->ctx, &summary);
    return status;
}

static int check(const cli_opts *opts)
{
    if (cli_inputs_refuse_ids(opts, "convert") != 0)
        return 2;
    if (opts->out == NULL)
        return cli_wrong("convert: -o OUT.tagma is needed");
    if (opts->has_tile && (opts->tile == 0 || opts->tile > 65536 || (opts->tile & (opts->tile - 1)) != 0))
        return cli_wrong("convert: --tile takes a power of 2 from 1 to 65536, not %llu",
                         (unsigned long long)opts->tile);
    if (opts->blocks > 0 &&
        (opts->blocks < 8 << 10 || opts->blocks > 256 << 10 || (opts->blocks & (opts->blocks - 1)) != 0))
        return cli_wrong("convert: --blocks takes a power of 2 from 8K to 256K, not %llu",
                         (unsigned long long)opts->blocks);
    if (opts->codec != NULL && opts->blocks == 0)
        return cli_wrong("convert: --codec belongs to --blocks");
    return 0;
}

static void obey_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signal(signals[i], on_signal) == SIG_IGN)
            signal(signals[i], SIG_IGN);
}

int cli_convert(const cli_opts *opts)
{
    cli_session session;
    cli_inputs inputs = {0};
    converting c = {.session = &session, .inputs = &inputs};
    int status = check(opts);

    if (status == 0)
        status = cli_inputs_new(opts, opts->names, opts->n_names, &inputs);
    if (status == 0) {
        obey_signals();
        if (cli_begin(&session, opts) == 0)
            cli_raise(&session, convert(&c));
        status = cli_end(&session);
    }
    cli_inputs_free(&inputs);
    if (stopped_by != 0) {
        signal(stopped_by, SIG_DFL);
        raise(stopped_by);
    }
    return status;
}
