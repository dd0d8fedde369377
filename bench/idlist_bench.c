/* SPDX-License-Identifier: Apache-2.0
 * Reading lists of event ids: milliseconds for 100,000 lines of each form, minimum and median of 9; beside them what counting
 * the lines costs. Links with the static library alone. */
#include "measure.h"

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

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static int run_form(tagma_ctx *ctx, const form *f)
{
    static const tagma_id_axes axes = {
        3, {"run", "luminosityBlock", "event"}, {"run", "lumi", "event"}, {false}, "Events"};
    text t = {malloc((size_t)LINES * LINE_BYTES), 0};
    double ms[ROUNDS], ceiling = 1e9;
    unsigned long sum = 0;
    size_t n = 0;

    add(&t, f->before);
    for (unsigned long i = 0; i < LINES; i++) {
        char line[LINE_BYTES];
        f->line(line, i, 273158 + i % 37, 1 + i * 7919 % 3000, i * 2654435761UL % 1000000000UL);
        add(&t, line);
    }
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_seconds(), took;
        tagma_idlist list;
        for (size_t i = 0; i < t.n; i++)
            sum += (unsigned char)t.bytes[i] == '\n';
        took = 1e3 * (now_seconds() - begin);
        ceiling = took < ceiling ? took : ceiling;
        begin = now_seconds();
        if (tagma_idlist_parse(ctx, &axes, t.bytes, t.n, f->name, &list) != TAGMA_OK) {
            fprintf(stderr, "%s\n", tagma_ctx_message(ctx));
            return 1;
        }
        ms[round] = 1e3 * (now_seconds() - begin);
        n = list.n;
        tagma_idlist_free(ctx, &list);
    }
    qsort(ms, ROUNDS, sizeof *ms, compare);
    printf("%-20s %8zu %9zu %8.2f %8.2f %8.2f\n", f->name, n, t.n, ms[0], ms[ROUNDS / 2], ceiling);
    free(t.bytes);
    return sum == 0;
}

int main(void)
{
    tagma_ctx *ctx;
    int failed = 0;

    if (tagma_ctx_new(NULL, &ctx) != TAGMA_OK)
        return 1;
    printf("%-20s %8s %9s %8s %8s %8s\n", "100,000 lines", "ids", "bytes", "min ms", "median", "ceiling");
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        failed |= run_form(ctx, &forms[i]);
    tagma_ctx_free(ctx);
    return failed;
}
