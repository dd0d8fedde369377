/* SPDX-License-Identifier: Apache-2.0
 * tagma info --html: files and what their branches cost, as one page that needs nothing else. It reads without its script, which sorts
 * and filters the tables of branches. */
#include "cli/page.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/facts.h"
#include "cli/say.h"
#include "cli/storefacts.h"

static const char style[] =
    ":root{color-scheme:light "
    "dark;--ink:#1b1f24;--dim:#5b6470;--line:#d9dee4;--bar:#3b6fb6;--hot:#d08a2e;--page:#fff;--band:#f6f8fa}"
    "\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e4e8ed;--dim:#98a2ae;--line:#343b44;--bar:#6a9ce0;--hot:#"
    "e0a552;--page:#14171b;"
    "--band:#1c2127}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:78rem;padding:1.5rem 1rem "
    "4rem;background:var(--page);color:var(--ink);font:15px/1.45 system-ui,"
    "sans-serif}\n"
    "h1{font-size:1.6rem;margin:0 0 .5rem;overflow-wrap:anywhere}h2{font-size:1.25rem;margin:2.5rem 0 "
    ".5rem;border-top:1px solid "
    "var(--line);padding-top:1rem;overflow-wrap:anywhere}h3{font-size:1rem;margin:1.75rem 0 .5rem}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem "
    "1rem;margin:0}dt{color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;width:100%}\n"
    "th,td{padding:.2rem .45rem;text-align:left;vertical-align:top;border-bottom:1px solid "
    "var(--line);white-space:nowrap}\n"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}td.t{white-space:normal;min-width:12rem;"
    "color:var(--dim);"
    "overflow-wrap:anywhere}td.b{white-space:normal;overflow-wrap:anywhere;min-width:14rem}\n"
    "thead th{position:sticky;top:0;background:var(--page);border-bottom:2px solid var(--line)}\n"
    "tbody tr:hover{background:var(--band)}\n"
    "th button{all:unset;cursor:pointer;font-weight:600}th button:focus-visible{outline:2px solid "
    "var(--bar)}\n"
    "th[aria-sort=ascending] button:after{content:' \\25B2'}th[aria-sort=descending] button:after{content:' "
    "\\25BC'}\n"
    ".bar{display:flex;height:.9rem;min-width:8rem;background:var(--band)}.bar i{background:var(--bar)}.bar "
    "i+i{background:var(--hot)}\n"
    "td.bars{width:45%;vertical-align:middle}.key{color:var(--dim);margin:.25rem 0 0}.key "
    "i{display:inline-block;width:.8rem;height:.8rem;"
    "background:var(--bar);margin:0 .3rem 0 0}.key i.h{background:var(--hot);margin-left:1rem}\n"
    "input{font:inherit;color:inherit;background:var(--band);border:1px solid "
    "var(--line);border-radius:.3rem;padding:.3rem .6rem;"
    "width:min(22rem,100%);margin:0 .8rem .6rem 0}\n"
    "td.t.why{color:var(--hot)}footer{margin-top:3rem;color:var(--dim)}\n"
    "@media(max-width:40rem){.bars-table th:nth-child(2),.bars-table td:nth-child(2),.bars-table "
    "th:nth-child(4),.bars-table "
    "td:nth-child(4){display:none}.bar{min-width:5rem}td.b{min-width:7rem}}\n"
    "@page{size:landscape;margin:12mm}\n"
    "@media print{body{max-width:none;padding:0;font-size:8pt}input,.count{display:none}thead "
    "th{position:static}thead{display:"
    "table-header-group}tr{break-inside:avoid}.wide{overflow:visible}th,td{white-space:normal;padding:.1rem "
    ".3rem}td.n,th.n{white-space:nowrap}td.b,td.t{min-width:0}"
    ".bar,.bar i,.key i{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n";

static const char script[] =
    "'use strict';\n"
    "for (const box of document.querySelectorAll('.branches')) {\n"
    "  const body = box.querySelector('tbody'), rows = [...body.rows], heads = "
    "[...box.querySelectorAll('th')];\n"
    "  const input = box.querySelector('input'), count = box.querySelector('.count');\n"
    "  input.hidden = false;\n"
    "  const value = (row, i) => row.cells[i].dataset.v ?? row.cells[i].textContent;\n"
    "  heads.forEach((head, i) => {\n"
    "    const button = document.createElement('button');\n"
    "    button.textContent = head.textContent;\n"
    "    head.replaceChildren(button);\n"
    "    button.addEventListener('click', () => {\n"
    "      const numbers = head.classList.contains('n');\n"
    "      const up = head.ariaSort ? head.ariaSort === 'descending' : !numbers;\n"
    "      heads.forEach(other => other.removeAttribute('aria-sort'));\n"
    "      head.ariaSort = up ? 'ascending' : 'descending';\n"
    "      const sign = up ? 1 : -1;\n"
    "      const order = numbers ? (a, b) => value(a, i) - value(b, i) : (a, b) => value(a, "
    "i).localeCompare(value(b, i), 'en', {numeric: true});\n"
    "      rows.sort((a, b) => sign * order(a, b));\n"
    "      body.append(...rows);\n"
    "    });\n"
    "  });\n"
    "  input.addEventListener('input', () => {\n"
    "    const wanted = input.value.toLowerCase();\n"
    "    let n = 0;\n"
    "    for (const row of rows) {\n"
    "      row.hidden = !row.textContent.toLowerCase().includes(wanted);\n"
    "      n += !row.hidden;\n"
    "    }\n"
    "    count.textContent = n === rows.length ? '' : n + ' of ' + rows.length;\n"
    "  });\n"
    "}\n";

/* Text that is markup to nobody: control characters and broken UTF-8 are spelled out first. */
static void put_escaped(cli_text *text, const char *words)
{
    cli_text shown = {0};

    cli_text_visible(&shown, words, strlen(words));
    for (size_t i = 0; i < shown.n; i++) {
        switch (shown.bytes[i]) {
        case '&':
            cli_text_words(text, "&amp;");
            break;
        case '<':
            cli_text_words(text, "&lt;");
            break;
        case '>':
            cli_text_words(text, "&gt;");
            break;
        case '"':
            cli_text_words(text, "&quot;");
            break;
        default:
            cli_text_char(text, shown.bytes[i]);
        }
    }
    text->is_short |= shown.is_short;
    cli_text_free(&shown);
}

static void put_fact(void *user, const char *name, const char *words)
{
    cli_text *text = user;

    cli_text_format(text, "<dt>%s</dt><dd>", name);
    put_escaped(text, words);
    cli_text_words(text, "</dd>\n");
}

static cli_facts facts_of(cli_text *text, cli_session *session)
{
    enum { SOURCES_SHOWN = 20 };

    return (cli_facts){session, put_fact, text, SOURCES_SHOWN};
}

/* A number with its value to sort by. */
static void put_number(cli_text *text, double value, const char *shown)
{
    cli_text_format(text, "<td class=\"n\" data-v=\"%.6g\">%s</td>", value, shown);
}

static void put_bytes(cli_text *text, double bytes)
{
    char number[CLI_NUMBER_BYTES];

    cli_text_format(text, "<td class=\"n\" data-v=\"%.1f\">%s</td>", bytes,
                    cli_bytes((uint64_t)(bytes + 0.5), number));
}

static void put_fraction(cli_text *text, double value, const char *unit)
{
    cli_text_format(text, "<td class=\"n\" data-v=\"%.6g\">%.2f%s</td>", value, value, unit);
}

void cli_page_begin(cli_text *text, const char *title)
{
    cli_text_words(text, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                         "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>");
    put_escaped(text, title);
    cli_text_words(text, "</title>\n<style>\n");
    cli_text_words(text, style);
    cli_text_words(text, "</style>\n</head>\n<body>\n");
}

void cli_page_end(cli_text *text)
{
    cli_text_words(text, "<footer>tagma " TAGMA_VERSION "</footer>\n<script>\n");
    cli_text_words(text, script);
    cli_text_words(text, "</script>\n</body>\n</html>\n");
}

void cli_page_file(cli_text *text, const cli_trees *trees)
{
    const cli_facts facts = facts_of(text, trees->session);

    cli_text_words(text, "<h1>");
    put_escaped(text, trees->input->path);
    cli_text_words(text, "</h1>\n<dl>\n");
    cli_facts_file(&facts, trees);
    cli_text_words(text, "</dl>\n");
}

static void put_bar(cli_text *text, double part, double hot, double most)
{
    double scale = most > 0 ? 100 / most : 0;

    cli_text_format(text, "<td class=\"bars\"><div class=\"bar\"><i style=\"width:%.2f%%\"></i>",
                    part * scale);
    if (hot > 0)
        cli_text_format(text, "<i style=\"width:%.2f%%\"></i>", hot * scale);
    cli_text_words(text, "</div></td>");
}

/* A row of a table with bars: bytes in tiles, or all of them, and in the columns section. */
typedef struct share {
    const char *name;
    uint64_t n_columns;
    double bytes, hot_bytes;
} share;

static void put_shares(cli_text *text, const char *what, const share *shares, size_t n)
{
    double all = 0, most = 0;
    char number[CLI_NUMBER_BYTES];

    for (size_t i = 0; i < n; i++) {
        double bytes = shares[i].bytes + shares[i].hot_bytes;
        all += bytes;
        most = bytes > most ? bytes : most;
    }
    cli_text_format(text,
                    "<div class=\"wide\"><table class=\"bars-table\">\n<thead><tr><th>%s</th><th "
                    "class=\"n\">branches</th><th class=\"n\">on disk</th><th "
                    "class=\"n\">share</th><th></th></tr></thead>\n<tbody>\n",
                    what);
    for (size_t i = 0; i < n; i++) {
        double bytes = shares[i].bytes + shares[i].hot_bytes;

        cli_text_words(text, "<tr><td class=\"b\">");
        put_escaped(text, shares[i].name);
        cli_text_words(text, "</td>");
        put_number(text, (double)shares[i].n_columns, cli_grouped(shares[i].n_columns, number));
        put_bytes(text, bytes);
        put_fraction(text, all > 0 ? 100 * bytes / all : 0, " %");
        put_bar(text, shares[i].bytes, shares[i].hot_bytes, most);
        cli_text_words(text, "</tr>\n");
    }
    cli_text_words(text, "</tbody></table></div>\n");
}

static int put_collections(cli_text *text, const cli_summary *s, bool is_store)
{
    share *shares = calloc(s->n_groups + 1, sizeof *shares);

    if (shares == NULL)
        return cli_no_memory();
    for (size_t g = 0; g < s->n_groups; g++) {
        const cli_group_bytes *it = &s->groups[g];
        shares[g] = (share){it->name, it->n_columns, (double)(it->packed_bytes - it->hot_bytes),
                            (double)it->hot_bytes};
    }
    cli_text_words(text, "<h3>By collection</h3>\n");
    if (is_store)
        cli_text_words(text,
                       "<p class=\"key\"><i></i>in tiles<i class=\"h\"></i>in the columns section</p>\n");
    put_shares(text, "collection", shares, s->n_groups);
    free(shares);
    return 0;
}

static int put_codes(cli_text *text, const cli_code_bytes *codes, size_t n)
{
    share *shares = calloc(n + 1, sizeof *shares);

    if (shares == NULL)
        return cli_no_memory();
    for (size_t i = 0; i < n; i++)
        shares[i] =
            (share){codes[i].code, codes[i].n_columns, codes[i].tile_bytes, (double)codes[i].hot_bytes};
    cli_text_words(text, "<h3>By code</h3>\n");
    put_shares(text, "code", shares, n);
    free(shares);
    return 0;
}

static void put_name(cli_text *text, const tagma_schema *schema, uint32_t c)
{
    char type[256];

    tagma_schema_spell(schema, c, type, sizeof type);
    cli_text_words(text, "<tr><td class=\"b\">");
    put_escaped(text, tagma_schema_column(schema, c)->name);
    cli_text_words(text, "</td><td>");
    put_escaped(text, type);
    cli_text_words(text, "</td>");
}

/* Bytes an event, share, ratio, title: the end of each row. */
static void put_rates(cli_text *text, const tagma_column *column, double packed, double unpacked, double all,
                      uint64_t n_events)
{
    put_fraction(text, n_events > 0 ? packed / (double)n_events : 0, "");
    put_fraction(text, all > 0 ? 100 * packed / all : 0, " %");
    put_fraction(text, packed > 0 ? unpacked / packed : 0, "");
    cli_text_format(text, "<td class=\"t%s\">", column->reason != NULL ? " why" : "");
    put_escaped(text, column->reason != NULL ? column->reason : column->title);
    cli_text_words(text, "</td></tr>\n");
}

static void begin_branches(cli_text *text, const char *heads, uint64_t n)
{
    char number[CLI_NUMBER_BYTES];

    cli_text_format(
        text,
        "<h3>%s branch%s</h3>\n<div class=\"branches\"><input type=\"search\" placeholder=\"Filter\" "
        "aria-label=\"Filter branches\" hidden><span class=\"count\"></span>\n<div "
        "class=\"wide\"><table>\n<thead><tr>"
        "<th>branch</th><th>type</th>%s<th class=\"n\">unpacked</th><th class=\"n\">B/event</th>"
        "<th class=\"n\">share</th><th class=\"n\">ratio</th><th>title</th></tr></thead>\n<tbody>\n",
        cli_grouped(n, number), n == 1 ? "" : "es", heads);
}

static void put_stored(cli_text *text, const tagma_events *events, const cli_cost *costs, size_t n)
{
    const tagma_schema *schema = tagma_events_schema(events);
    double all = 0;

    for (size_t i = 0; i < n; i++)
        all += cli_cost_bytes(&costs[i].stored);
    begin_branches(text, "<th>code</th><th class=\"n\">in tiles</th><th class=\"n\">in columns</th>", n);
    for (size_t i = 0; i < n; i++) {
        const tagma_store_column *it = &costs[i].stored;

        put_name(text, schema, costs[i].column);
        cli_text_format(text, "<td>%s</td>", it->code);
        put_bytes(text, it->tile_bytes);
        put_bytes(text, (double)it->hot_bytes);
        put_bytes(text, (double)it->raw_bytes);
        put_rates(text, tagma_schema_column(schema, costs[i].column), cli_cost_bytes(it),
                  (double)it->raw_bytes, all, tagma_events_n_entries(events));
    }
    cli_text_words(text, "</tbody></table></div></div>\n");
}

typedef struct branch {
    uint32_t column;
    tagma_storage storage;
} branch;

static int by_packed(const void *a, const void *b)
{
    const branch *x = a, *y = b;

    if (x->storage.packed_bytes != y->storage.packed_bytes)
        return x->storage.packed_bytes > y->storage.packed_bytes ? -1 : 1;
    return x->column < y->column ? -1 : 1;
}

static int put_branches(cli_text *text, const tagma_events *events)
{
    const tagma_schema *schema = tagma_events_schema(events);
    uint32_t n = tagma_schema_n_columns(schema);
    branch *branches = calloc((size_t)n + 1, sizeof *branches);
    char number[CLI_NUMBER_BYTES];
    double all = 0;

    if (branches == NULL)
        return cli_no_memory();
    for (uint32_t c = 0; c < n; c++) {
        branches[c].column = c;
        branches[c].storage.struct_bytes = sizeof branches[c].storage;
        if (tagma_events_storage(events, c, &branches[c].storage) != TAGMA_OK)
            branches[c].storage = (tagma_storage){.codec = ""};
        all += (double)branches[c].storage.packed_bytes;
    }
    qsort(branches, n, sizeof *branches, by_packed);
    begin_branches(text, "<th>codec</th><th class=\"n\">baskets</th><th class=\"n\">on disk</th>", n);
    for (uint32_t i = 0; i < n; i++) {
        const tagma_storage *it = &branches[i].storage;

        put_name(text, schema, branches[i].column);
        cli_text_format(text, "<td>%s</td>", it->codec);
        put_number(text, (double)it->n_baskets, cli_grouped(it->n_baskets, number));
        put_bytes(text, (double)it->packed_bytes);
        put_bytes(text, (double)it->bytes);
        put_rates(text, tagma_schema_column(schema, branches[i].column), (double)it->packed_bytes,
                  (double)it->bytes, all, tagma_events_n_entries(events));
    }
    cli_text_words(text, "</tbody></table></div></div>\n");
    free(branches);
    return 0;
}

static int put_store(cli_text *text, tagma_ctx *ctx, const tagma_events *events)
{
    cli_cost *costs = NULL;
    cli_code_bytes *codes = NULL;
    size_t n_costs, n_codes;
    int status = cli_costs_new(ctx, events, &costs, &n_costs);

    if (status == 0)
        status = cli_codes_new(ctx, events, costs, n_costs, &codes, &n_codes);
    if (status == 0)
        status = put_codes(text, codes, n_codes);
    if (status == 0)
        put_stored(text, events, costs, n_costs);
    free(costs);
    free(codes);
    return status;
}

int cli_page_tree(cli_text *text, cli_session *session, const tagma_tree_info *tree,
                  const tagma_events *events)
{
    const cli_facts facts = facts_of(text, session);
    tagma_store_info stored = {.struct_bytes = sizeof stored};
    cli_summary summary;
    bool is_store = tagma_store_get_info(session->ctx, events, &stored) == TAGMA_OK;
    int status = cli_summary_new(&summary, session->ctx, events);

    cli_text_words(text, "<h2>");
    put_escaped(text, tree->name);
    cli_text_format(text, ";%" PRIu32 "</h2>\n<dl>\n", tree->cycle);
    if (status == 0)
        status = cli_facts_tree(&facts, tree, events, &summary, is_store ? &stored : NULL);
    cli_text_words(text, "</dl>\n");
    if (status == 0)
        status = put_collections(text, &summary, is_store);
    if (status == 0)
        status = is_store ? put_store(text, session->ctx, events) : put_branches(text, events);
    cli_summary_free(&summary);
    return status;
}
