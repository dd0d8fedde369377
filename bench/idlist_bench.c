/* SPDX-License-Identifier: Apache-2.0
 * Reading lists of event ids: seconds for 100,000 lines of a form, the least of 9; beside them what counting the lines costs. */
#include "measure.h"

static const char usage[] = "[--form NAME]\nA JSON line for each form, or for the one named.";

enum { LINES = 100000, ROUNDS = 9, LINE_BYTES = 512 };

typedef struct text {
    char *bytes;
    size_t n;
} text;

static void add(text *t, const char *line)
{
    size_t n = strlen(line);

    memcpy(t->bytes + t->n, line, n);
    t->n += n;
}

/* The forms: what stands before the lines, and one line. Each takes run, lumi, event; @N and rows take the line. */
typedef struct form {
    const char *name;
    const char *before;
    void (*line)(char *dst, unsigned long i, unsigned long r, unsigned long l, unsigned long e);
} form;

#define LINE(name, format, ...)                                                                              \
    static void name(char *dst, unsigned long i, unsigned long r, unsigned long l, unsigned long e)          \
    {                                                                                                        \
        (void)i, (void)r, (void)l, (void)e;                                                                  \
        snprintf(dst, LINE_BYTES, format, __VA_ARGS__);                                                      \
    }

LINE(colons, "%lu:%lu:%lu\n", r, l, e)
LINE(commas, "%lu,%lu,%lu\n", r, l, e)
LINE(quotes, "\"%lu\", \"%lu\", \"%lu\"\r\n", r, l, e)
LINE(blanks, "%10lu %8lu %14lu   # picked\n", r, l, e)
LINE(floats, "%lu.000000000000000000e+00 %lu.0 %lu.0\n", r, l, e)
LINE(several, "%lu:%lu:%lu %lu:%lu:%lu\n", r, l, e, r, l, e + 1)
LINE(entries, "@%lu\n", i)
LINE(csv, "%lu,%lu,%lu.5,x%lu,\"[1.5,2.5]\",%lu\n", e, r, i, i, l)
LINE(scan, "* %8lu * %9lu * %9lu * %9lu *\n", i, r, l, e)
LINE(objects, "{\"run\": %lu, \"luminosityBlock\": %lu, \"event\": %lu}\n", r, l, e)
LINE(picked,
     "{\"@file\":\"x.root\",\"@entry\":%lu,\"@id\":\"%lu:%lu:%lu\",\"Muon_pt\":[10.5,20.25,30.125]}\n", i, r,
     l, e)
LINE(arrays, "[%lu, %lu, %lu]\n", r, l, e)

static const form forms[] = {
    {"run:lumi:event", "", colons},
    {"run,lumi,event", "", commas},
    {"quoted, CRLF", "", quotes},
    {"padded, # tails", "", blanks},
    {"np.savetxt floats", "", floats},
    {"two ids a line", "", several},
    {"@N", "", entries},
    {"CSV, six columns", "event,run,weight,name,list,luminosityBlock\n", csv},
    {"TTree::Scan", "*    Row   *       run * luminosit *     event *\n", scan},
    {"JSON objects", "", objects},
    {"JSON of pick", "", picked},
    {"JSON arrays", "", arrays},
};

static void run_form(tagma_ctx *ctx, const form *f)
{
    static const tagma_id_axes axes = {
        3, {"run", "luminosityBlock", "event"}, {"run", "lumi", "event"}, {false}, "Events"};
    text t = {malloc((size_t)LINES * LINE_BYTES), 0};
    double seconds = 1e9, cpu = 1e9, ceiling = 1e9;
    unsigned long sum = 0;
    size_t n = 0;

    if (!t.bytes)
        die("idlist_bench", "no memory");
    add(&t, f->before);
    for (unsigned long i = 0; i < LINES; i++) {
        char line[LINE_BYTES];
        f->line(line, i, 273158 + i % 37, 1 + i * 7919 % 3000, i * 2654435761UL % 1000000000UL);
        add(&t, line);
    }
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_seconds(), cpu_begin, took;
        tagma_idlist list;

        for (size_t i = 0; i < t.n; i++)
            sum += (unsigned char)t.bytes[i] == '\n';
        took = now_seconds() - begin;
        ceiling = took < ceiling ? took : ceiling;
        begin = now_seconds();
        cpu_begin = cpu_seconds();
        must(ctx, tagma_idlist_parse(ctx, &axes, t.bytes, t.n, f->name, &list), f->name);
        took = now_seconds() - begin;
        seconds = took < seconds ? took : seconds;
        took = cpu_seconds() - cpu_begin;
        cpu = took < cpu ? took : cpu;
        n = list.n;
        tagma_idlist_free(ctx, &list);
    }
    printf("{\"peer\": \"Tagma id list\", \"form\": \"%s\", \"ids\": %zu, \"text_bytes\": %zu, \"seconds\": "
           "%.9g, "
           "\"cpu_seconds\": %.9g, \"ceiling_seconds\": %.9g, \"lines_counted\": %lu, \"ctx_peak_bytes\": "
           "%llu}\n",
           f->name, n, t.n, seconds, cpu, ceiling, sum, (unsigned long long)tagma_ctx_peak_memory(ctx));
    free(t.bytes);
}

int main(int argc, char **argv)
{
    const char *wanted = option(argc, argv, "--form", NULL);
    tagma_ctx *ctx;
    int n_run = 0;

    if (tagma_ctx_new(NULL, &ctx) != TAGMA_OK)
        die("idlist_bench", "no memory");
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (wanted && strcmp(wanted, forms[i].name) != 0)
            continue;
        run_form(ctx, &forms[i]);
        n_run++;
    }
    tagma_ctx_free(ctx);
    if (n_run == 0)
        die("usage: idlist_bench", usage);
    return 0;
}
