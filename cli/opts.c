/* SPDX-License-Identifier: Apache-2.0
 * The table of options: one row parses an option, prints its help and makes its errors. */
#include "cli/opts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tagma/idlist.h>
#include <tagma/schema.h>

#include "cli/say.h"

typedef enum kind { FLAG, TEXT, CHOICE, COUNT, SIZE, JOBS } kind;

typedef struct row {
    char letter; /* 0: none */
    const char *name, *alias;
    kind kind;
    const char *value;   /* what the help calls its value; of a CHOICE the words themselves, '|' between */
    unsigned commands;   /* who knows it */
    size_t field, given; /* in cli_opts; given only where the value alone does not tell */
    const char *help;
} row;

#define FIELD(name) offsetof(cli_opts, name)
#define NO_FIELD    SIZE_MAX
#define FINDS       (CLI_PICK | CLI_SHOW)

/* In the order of the help. */
static const row rows[] = {
    {'t', "tree", NULL, TEXT, "TREE[;CYCLE]", CLI_ALL, FIELD(tree), NO_FIELD,
     "the tree; its last name is enough where that is unique"},
    {'c', "columns", NULL, TEXT, "GLOB,...", CLI_ALL & ~(CLI_INDEX | CLI_INFO | CLI_CONVERT | CLI_VERIFY),
     FIELD(columns), NO_FIELD, "columns by name or glob; default: every supported one"},
    {'c', "take", NULL, TEXT, "GLOB,...", CLI_CONVERT, FIELD(columns), NO_FIELD,
     "branches by name or glob, the id columns besides; default: all"},
    {0, "drop", NULL, TEXT, "GLOB,...", CLI_CONVERT, FIELD(drop), NO_FIELD, "leave out these branches"},
    {0, "skip-unsupported", NULL, FLAG, NULL, CLI_CONVERT, FIELD(skip_unsupported), NO_FIELD,
     "leave out what this version cannot read"},
    {0, "strict-objects", NULL, FLAG, NULL, CLI_CONVERT, FIELD(strict_objects), NO_FIELD,
     "refuse a file that holds other trees or objects"},
    {0, "sort", NULL, FLAG, NULL, CLI_CONVERT, FIELD(sort), NO_FIELD, "by event id; default: as they come"},
    {0, "tile", NULL, COUNT, "K", CLI_CONVERT, FIELD(tile), FIELD(has_tile),
     "events in a tile, a power of 2 up to 65536; default 8"},
    {0, "no-sparse", NULL, FLAG, NULL, CLI_CONVERT, FIELD(no_sparse), NO_FIELD,
     "store no column sparsely: a few percent larger, faster"},
    {0, "columns", NULL, TEXT, "GLOBS|none|all", CLI_CONVERT, FIELD(hot), NO_FIELD,
     "what gets a second copy for scans; default: what events are cut on"},
    {0, "layout", NULL, CHOICE, "tiles|collection|fixed", CLI_CONVERT, FIELD(layout), NO_FIELD,
     "how events lie; default tiles. fixed keeps only scalars and the first item of each list"},
    {0, "record-bytes", NULL, SIZE, "SIZE", CLI_CONVERT, FIELD(record_bytes), NO_FIELD,
     "of a record of --layout fixed; default: what its doubles take"},
    {0, "max-output", NULL, SIZE, "SIZE", CLI_CONVERT, FIELD(max_output), NO_FIELD,
     "what the records of --layout fixed may take; default 20G"},
    {0, "blocks", NULL, SIZE, "SIZE", CLI_CONVERT, FIELD(blocks), NO_FIELD,
     "pack the store in blocks, of a power of 2 from 8K to 256K"},
    {0, "codec", NULL, CHOICE, "zstd|lz4", CLI_CONVERT, FIELD(codec), NO_FIELD, "of --blocks; default zstd"},
    {0, "against", NULL, TEXT, "FILE", CLI_VERIFY, FIELD(against), NO_FIELD,
     "what the store was made of; more files may follow, in the order of the conversion"},
    {0, "by", NULL, CHOICE, "id|entry", CLI_DIFF, FIELD(by), NO_FIELD,
     "what belongs together; default: id where both have id columns"},
    {0, "ulp", NULL, COUNT, "N", CLI_DIFF, FIELD(ulp), NO_FIELD,
     "floats up to N steps apart are equal; default 0: the same bits"},
    {0, "relative", NULL, TEXT, "X", CLI_DIFF, FIELD(relative), NO_FIELD,
     "floats are equal where |a - b| <= X max(|a|, |b|)"},
    {'l', "long", NULL, FLAG, NULL, CLI_LS | CLI_INFO, FIELD(is_long), NO_FIELD,
     "a line a branch: type, bytes, codec, title; of info: every branch of a store"},
    {'e', "events", NULL, TEXT, "LIST", FINDS, FIELD(list), NO_FIELD, "read the ids from a list; - is stdin"},
    {0, "files", NULL, TEXT, "LIST", CLI_ALL, FIELD(files), NO_FIELD,
     "read names of files from a text, one a line, # begins a comment"},
    {'f', "format", NULL, CHOICE, "table|csv|jsonl|ids|entries", CLI_PICK | CLI_SCAN, FIELD(format), NO_FIELD,
     "default: table on a terminal, else csv"},
    {'o', "output", NULL, TEXT, "OUT", CLI_ALL & ~CLI_INDEX, FIELD(out), NO_FIELD,
     "write OUT aside and rename it; of pick, scan: .csv .jsonl .txt .ids .entries"},
    {'o', "output", NULL, TEXT, "OUT", CLI_INDEX, FIELD(sidecar_out), NO_FIELD,
     "the sidecar of one file, to be named by --index; default: FILE.tgx"},
    {0, "start", "first", COUNT, "N", CLI_SCAN, FIELD(start), FIELD(has_start),
     "first entry, counted from 0"},
    {0, "count", NULL, COUNT, "N", CLI_PICK | CLI_SCAN, FIELD(count), FIELD(has_count), "at most N entries"},
    {0, "verify", NULL, FLAG, NULL, CLI_SCAN, FIELD(verify), NO_FIELD,
     "check every tile of a store that is touched, with --io mmap, too"},
    {0, "ids", "coords", TEXT, "A,B,C", CLI_ALL & ~(CLI_LS | CLI_CHECK), FIELD(ids), NO_FIELD,
     "1 to 4 id columns; default: found by name"},
    {0, "once", NULL, FLAG, NULL, CLI_PICK, FIELD(once), NO_FIELD, "deliver each event once"},
    {0, "unique", NULL, CHOICE, "all|error", CLI_PICK, FIELD(unique), NO_FIELD,
     "ids with several entries: deliver all (default), or fail before any row"},
    {0, "order", NULL, CHOICE, "asked|file", CLI_PICK, FIELD(order), NO_FIELD,
     "as listed (default), or as they stand in the files"},
    {0, "missing", NULL, TEXT, "FILE", CLI_PICK, FIELD(missing), NO_FIELD,
     "write the ids that are not there, as a list"},
    {0, "report", NULL, TEXT, "FILE", CLI_PICK, FIELD(report), NO_FIELD,
     "write what was found, missing, repeated, damaged, as JSON"},
    {0, "html", NULL, TEXT, "FILE", CLI_INFO, FIELD(html), NO_FIELD,
     "write what each branch costs as a page of its own, too"},
    {0, "index", NULL, TEXT, "FILE", CLI_INFO | CLI_PICK | CLI_SHOW | CLI_SCAN, FIELD(index), NO_FIELD,
     "this sidecar and no other"},
    {0, "no-sidecar", NULL, FLAG, NULL,
     CLI_ALL & ~(CLI_INDEX | CLI_LS | CLI_CHECK | CLI_CONVERT | CLI_VERIFY), FIELD(no_sidecar), NO_FIELD,
     "use no sidecar"},
    {0, "keep-index", NULL, FLAG, NULL, FINDS, FIELD(keep_index), NO_FIELD,
     "keep an index built on the fly in a sidecar"},
    {0, "force", NULL, FLAG, NULL, CLI_INDEX, FIELD(force), NO_FIELD, "index an unclosed file, too"},
    {0, "json", NULL, FLAG, NULL, CLI_ALL, FIELD(json), NO_FIELD, "answer in JSON; pick and scan: -f jsonl"},
    {'j', "jobs", NULL, JOBS, "N", CLI_ALL, FIELD(jobs), NO_FIELD,
     "threads; default: the processors allowed, at most 4"},
    {0, "max-memory", NULL, SIZE, "SIZE", CLI_ALL, FIELD(max_memory), NO_FIELD,
     "bytes, or with K, M, G; default 1G"},
    {0, "io", NULL, CHOICE, "mmap|pread", CLI_ALL, FIELD(io), NO_FIELD, "how files are read; default pread"},
    {0, "stats", NULL, FLAG, NULL, CLI_ALL, FIELD(stats), NO_FIELD,
     "tell requests, bytes, baskets, memory and time on stderr"},
    {'q', "quiet", NULL, FLAG, NULL, CLI_ALL, FIELD(quiet), NO_FIELD, "errors only on stderr"},
    {'h', "help", NULL, FLAG, NULL, CLI_ALL, FIELD(help), NO_FIELD, "this text"},
    {0, "version", NULL, FLAG, NULL, CLI_ALL, FIELD(version), NO_FIELD, "the version"},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

#define DEFAULT_MEMORY ((uint64_t)1 << 30)

/* "-t" or "--tree", as it was written. */
static const char *spelled(const row *r, bool is_long, char dst[32])
{
    if (is_long)
        snprintf(dst, 32, "--%s", r->name);
    else
        snprintf(dst, 32, "-%c", r->letter);
    return dst;
}

static int unknown(const cli_command *command, const char *dashes, const char *name)
{
    const char *known[2 * N_ROWS];
    char near[128] = "";
    size_t n = 0;

    for (size_t i = 0; i < N_ROWS; i++) {
        if ((rows[i].commands & command->bit) == 0)
            continue;
        known[n++] = rows[i].name;
        if (rows[i].alias != NULL)
            known[n++] = rows[i].alias;
    }
    if (strlen(name) > 1)
        tagma_near_names(name, known, n, near, sizeof near);
    return cli_wrong("%s: no option %s%s%s; tagma %s --help lists them", command->name, dashes, name, near,
                     command->name);
}

/* Whole-number texts only: no sign, no blanks, no point. */
static bool read_number(const char *text, const char **end, uint64_t *out)
{
    uint64_t n = 0;
    const char *p = text;

    for (; *p >= '0' && *p <= '9'; p++) {
        if (__builtin_mul_overflow(n, (uint64_t)10, &n) ||
            __builtin_add_overflow(n, (uint64_t)(*p - '0'), &n))
            return false;
    }
    *end = p;
    *out = n;
    return p != text;
}

/* 512M, 1G, 1GiB, 1GB: all in steps of 1024. */
static bool read_size(const char *text, uint64_t *out)
{
    static const char units[] = "KMGT";
    const char *end;
    const char *unit;

    if (!read_number(text, &end, out))
        return false;
    if (*end == '\0')
        return *out > 0;
    unit = strchr(units, *end >= 'a' ? *end - ('a' - 'A') : *end);
    if (unit == NULL || *unit == '\0')
        return false;
    for (const char *u = units; u <= unit; u++) {
        if (__builtin_mul_overflow(*out, (uint64_t)1024, out))
            return false;
    }
    end++;
    if (*end == 'i')
        end++;
    if (*end == 'B' || *end == 'b')
        end++;
    return *end == '\0' && *out > 0;
}

static bool is_choice(const char *choices, const char *value)
{
    size_t n = strlen(value);

    for (const char *p = choices; n > 0 && p != NULL; p = strchr(p, '|')) {
        if (*p == '|')
            p++;
        if (strncmp(p, value, n) == 0 && (p[n] == '|' || p[n] == '\0'))
            return true;
    }
    return false;
}

static int set_text(const cli_command *command, const row *r, const char *name, const char *value,
                    const char **field)
{
    if (*field != NULL)
        return cli_wrong("%s: %s is given twice", command->name, name);
    if (*value == '\0')
        return cli_wrong("%s: %s needs %s", command->name, name, r->value);
    if (r->kind == CHOICE && !is_choice(r->value, value))
        return cli_wrong("%s: %s takes %s, not \"%s\"", command->name, name, r->value, value);
    *field = value;
    return 0;
}

static int set_value(const cli_command *command, const row *r, const char *name, const char *value,
                     cli_opts *opts)
{
    char *base = (char *)opts;
    uint64_t *number = (uint64_t *)(void *)(base + r->field);
    const char *end = "";
    bool ok;

    if (r->kind == TEXT || r->kind == CHOICE)
        return set_text(command, r, name, value, (const char **)(void *)(base + r->field));
    if (r->kind == SIZE)
        ok = read_size(value, number);
    else
        ok = read_number(value, &end, number) && *end == '\0';
    if (ok && r->kind == JOBS)
        ok = *number >= 1 && *number <= 1024;
    if (!ok)
        return cli_wrong("%s: %s takes %s, not \"%s\"", command->name, name,
                         r->kind == SIZE   ? "a size such as 512M or 2G"
                         : r->kind == JOBS ? "a number from 1 to 1024"
                                           : "a whole number from 0",
                         value);
    if (r->given != NO_FIELD)
        *(bool *)(base + r->given) = true;
    return 0;
}

static int belongs(const cli_command *command, const row *r, const char *name)
{
    static const struct {
        unsigned bit;
        const char *name;
    } all[] = {{CLI_LS, "ls"},         {CLI_INFO, "info"}, {CLI_CHECK, "check"}, {CLI_INDEX, "index"},
               {CLI_PICK, "pick"},     {CLI_SHOW, "show"}, {CLI_SCAN, "scan"},   {CLI_CONVERT, "convert"},
               {CLI_VERIFY, "verify"}, {CLI_DIFF, "diff"}};
    char list[64] = "";

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if ((r->commands & all[i].bit) != 0)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", list[0] != '\0' ? ", " : "",
                     all[i].name);
    }
    return cli_wrong("%s: %s belongs to %s", command->name, name, list);
}

static bool is_named(const char *known, const char *name, size_t n)
{
    return known != NULL && strncmp(known, name, n) == 0 && known[n] == '\0';
}

/* The command's own option of that name; else one of another command. */
static const row *by_name(const cli_command *command, const char *name, size_t n)
{
    const row *other = NULL;

    for (size_t i = 0; i < N_ROWS; i++) {
        if (!is_named(rows[i].name, name, n) && !is_named(rows[i].alias, name, n))
            continue;
        if ((rows[i].commands & command->bit) != 0)
            return &rows[i];
        if (other == NULL)
            other = &rows[i];
    }
    return other;
}

static const row *by_letter(const cli_command *command, char letter)
{
    const row *other = NULL;

    for (size_t i = 0; i < N_ROWS; i++) {
        if (rows[i].letter != letter || letter == 0)
            continue;
        if ((rows[i].commands & command->bit) != 0)
            return &rows[i];
        if (other == NULL)
            other = &rows[i];
    }
    return other;
}

typedef struct words {
    int n, at;
    char **argv;
} words;

/* `value` is what stands in the same word, or NULL: then the next word is taken. */
static int take(const cli_command *command, const row *r, const char *name, const char *value, words *w,
                cli_opts *opts)
{
    if ((r->commands & command->bit) == 0)
        return belongs(command, r, name);
    if (r->kind == FLAG) {
        *(bool *)(void *)((char *)opts + r->field) = true;
        return 0;
    }
    if (value == NULL) {
        if (w->at >= w->n)
            return cli_wrong("%s: %s needs %s", command->name, name, r->value);
        value = w->argv[w->at++];
    }
    return set_value(command, r, name, value, opts);
}

static int take_long(const cli_command *command, const char *word, words *w, cli_opts *opts)
{
    const char *equals = strchr(word, '=');
    size_t n = equals != NULL ? (size_t)(equals - word) : strlen(word);
    const row *r = by_name(command, word, n);
    char name[32];

    if (r == NULL)
        return unknown(command, "--", word);
    spelled(r, true, name);
    if (equals != NULL && r->kind == FLAG)
        return cli_wrong("%s: %s takes no value", command->name, name);
    return take(command, r, name, equals != NULL ? equals + 1 : NULL, w, opts);
}

static int take_short(const cli_command *command, const char *letters, words *w, cli_opts *opts)
{
    for (; *letters != '\0'; letters++) {
        const row *r = by_letter(command, *letters);
        char one[2] = {*letters, '\0'};
        char name[32];
        bool is_flag;
        int status;

        if (r == NULL)
            return unknown(command, "-", one);
        is_flag = r->kind == FLAG;
        status = take(command, r, spelled(r, false, name),
                      !is_flag && letters[1] != '\0' ? letters + 1 : NULL, w, opts);
        if (status != 0 || !is_flag)
            return status;
    }
    return 0;
}

int cli_opts_parse(const cli_command *command, int argc, char **argv, cli_opts *opts)
{
    words w = {argc, 0, argv};
    bool rest = false;
    int status = 0;

    memset(opts, 0, sizeof *opts);
    opts->names = calloc((size_t)argc + 1, sizeof *opts->names);
    opts->id_args = calloc((size_t)argc + 1, sizeof *opts->id_args);
    if (opts->names == NULL || opts->id_args == NULL)
        return cli_no_memory();
    while (status == 0 && w.at < w.n) {
        const char *word = w.argv[w.at++];
        if (!rest && strcmp(word, "--") == 0)
            rest = true;
        else if (!rest && tagma_id_is_text(word))
            opts->id_args[opts->n_ids++] = word;
        else if (!rest && word[0] == '-' && word[1] == '-')
            status = take_long(command, word + 2, &w, opts);
        else if (!rest && word[0] == '-' && word[1] != '\0')
            status = take_short(command, word + 1, &w, opts);
        else
            opts->names[opts->n_names++] = word;
    }
    if (opts->max_memory == 0)
        opts->max_memory = DEFAULT_MEMORY;
    return status;
}

void cli_opts_free(cli_opts *opts)
{
    free(opts->names);
    free(opts->id_args);
    opts->names = NULL;
    opts->id_args = NULL;
}

void cli_opts_help(unsigned command, cli_text *text)
{
    for (size_t i = 0; i < N_ROWS; i++) {
        const row *r = &rows[i];
        char left[64];
        int n;

        if ((r->commands & command) == 0)
            continue;
        n = snprintf(left, sizeof left, "%c%c --%s%s%s", r->letter != 0 ? '-' : ' ',
                     r->letter != 0 ? r->letter : ' ', r->name, r->value != NULL ? " " : "",
                     r->value != NULL ? r->value : "");
        cli_text_format(text, n > 27 ? "  %s\n  %27s %s" : "  %-27s%s %s", left, "", r->help);
        if (r->alias != NULL)
            cli_text_format(text, " (alias --%s)", r->alias);
        cli_text_char(text, '\n');
    }
}
