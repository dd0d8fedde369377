/* SPDX-License-Identifier: Apache-2.0
 * Sections of a store, each by itself: head with its table of sections, directory of clusters, schema and words, origin,
 * provenance. Input: a byte that says which, then its bytes. */
#include "fuzz.h"

#include <string.h>
#include <xxhash.h>

#include "event/schema.h"
#include "store/provenance.h"
#include "store/schemasec.h"
#include "store/storehead.h"

enum { MEMORY_BYTES_MAX = 64 << 20, HEAD, DIRECTORY, SCHEMA, ORIGIN, PROVENANCE };

static bool has_words(tagma_ctx *ctx, tagma_status st)
{
    return st >= 0 || (st != TAGMA_E_ARG && st != TAGMA_E_RANGE && *tagma_ctx_message(ctx));
}

/* What a head lets through lies in the file, and is written back as it was. */
static void head(tagma_ctx *ctx, uint8_t *bytes, size_t n)
{
    uint8_t whole[TG_HEADER_BYTES] = {0}, again[TG_HEADER_BYTES];
    tg_header header;
    tagma_status st;

    memcpy(whole, bytes, n < sizeof whole ? n : sizeof whole);
    tg_put_le64(whole + TG_HEADER_BYTES - 8, XXH3_64bits(whole, TG_HEADER_BYTES - 8));
    st = tg_header_load(ctx, whole, sizeof whole, tg_le64(whole + 16), "x", &header);
    FUZZ_CHECK(has_words(ctx, st));
    if (st < 0)
        return;
    for (uint32_t i = 0; i < header.n_sections; i++)
        FUZZ_CHECK(header.sections[i].offset >= TG_HEADER_BYTES &&
                   tg_inside(header.sections[i].offset, header.sections[i].bytes, header.file_bytes) &&
                   tg_header_section(&header, header.sections[i].id) == &header.sections[i]);
    tg_header_write(&header, again);
    FUZZ_CHECK(tg_header_load(ctx, again, sizeof again, header.file_bytes, "x", &header) == TAGMA_OK);
}

/* Clusters follow each other and hold as many events as the head says. */
static void directory(tagma_ctx *ctx, const uint8_t *bytes, size_t n)
{
    tg_header header = {.file_bytes = n < 8 ? 0 : tg_le64(bytes),
                        .n_events = n < 16 ? 0 : tg_le64(bytes + 8)};
    size_t skip = n < 16 ? n : 16;
    uint64_t n_events = 0;
    tg_cluster *clusters;

    header.n_clusters = (uint32_t)((n - skip) / TG_DIRECTORY_BYTES);
    header.sections[header.n_sections++] = (tg_section){.id = TG_STORE_SECTION_CLUSTERS};
    clusters = malloc((header.n_clusters + 1) * sizeof *clusters);
    if (tg_directory_load(ctx, &header, bytes + skip, n - skip, "x", clusters) == TAGMA_OK) {
        for (uint32_t i = 0; i < header.n_clusters; i++) {
            FUZZ_CHECK(clusters[i].first_entry == n_events);
            n_events += clusters[i].n_events;
        }
        FUZZ_CHECK(n_events == header.n_events);
    } else {
        FUZZ_CHECK(*tagma_ctx_message(ctx));
    }
    free(clusters);
}

/* Every column has its words, shapes are those of the columns, and names that can be told are found. */
static void use_schema(const tagma_schema *schema)
{
    const tg_shape *shapes = tg_schema_shapes(schema);
    char text[512];

    for (uint32_t c = 0; c < tagma_schema_n_columns(schema); c++) {
        const tagma_column *column = tagma_schema_column(schema, c);
        uint64_t n_items = 1;

        FUZZ_CHECK(strlen(column->name) + strlen(column->path) + strlen(column->title) < 1U << 30);
        FUZZ_CHECK(column->n_items == shapes[c].n_items && (uint32_t)column->type == shapes[c].type);
        for (uint32_t d = 0; d < column->n_dims; d++)
            n_items *= column->dims[d];
        FUZZ_CHECK(n_items == column->n_items);
        (void)tagma_schema_spell(schema, c, text, sizeof text);
        if (c < 8)
            (void)tagma_schema_find(schema, column->name);
    }
    (void)tg_schema_is_sound(schema);
}

static void schema(tagma_ctx *ctx, const uint8_t *bytes, size_t n)
{
    tg_section section = {.bytes = n};
    tg_header header = {.n_columns = n < 4 ? 0 : tg_le32(bytes),
                        .n_collections = n < 8 ? 0 : tg_le32(bytes + 4)};
    tg_schemasec loaded;
    uint8_t *own;
    tagma_status st;

    if (n < TG_SCHEMASEC_HEAD || header.n_columns > 1000000 || header.n_collections > 1000000)
        return;
    own = tg_alloc(ctx, 1, n);
    FUZZ_CHECK(own);
    memcpy(own, bytes, n);
    st = tg_schemasec_load(ctx, own, own, &section, &header, "x", &loaded);
    FUZZ_CHECK(has_words(ctx, st));
    if (st < 0) {
        tg_free(ctx, own);
        return;
    }
    FUZZ_CHECK(strlen(loaded.tree) + strlen(loaded.title) < n);
    use_schema(loaded.schema);
    tg_schema_free(loaded.schema);
}

static void origin(tagma_ctx *ctx, const uint8_t *bytes, size_t n)
{
    uint64_t n_rows = n < 8 ? 0 : tg_le64(bytes);
    uint8_t *own;

    if (n < 8)
        return;
    own = calloc(1, n + 16); /* a section has slack behind it */
    memcpy(own, bytes + 8, n - 8);
    if (tg_origins_check(ctx, own, n - 8, n_rows, "x", 0) == TAGMA_OK)
        for (uint64_t i = 0; i < 8 && n_rows > 0; i++)
            (void)tg_origins_at(own, i * 0x9e3779b97f4a7c15 % n_rows);
    else
        FUZZ_CHECK(*tagma_ctx_message(ctx));
    free(own);
}

static void provenance(tagma_ctx *ctx, const uint8_t *bytes, size_t n)
{
    tg_provenance loaded;
    void *block = NULL;
    size_t length = 0;
    tagma_status st = tg_provenance_load(ctx, bytes, n, "x", 0, &loaded, &block);

    FUZZ_CHECK(has_words(ctx, st));
    if (st == TAGMA_OK) {
        length += strlen(loaded.producer) + strlen(loaded.options);
        for (uint32_t i = 0; i < loaded.n_sources; i++)
            length += strlen(loaded.sources[i].file) + strlen(loaded.sources[i].uuid) +
                      strlen(loaded.sources[i].tree);
        for (uint32_t i = 0; i < loaded.n_absents; i++)
            length += strlen(loaded.absents[i].name) + strlen(loaded.absents[i].words);
        FUZZ_CHECK(length < (size_t)5 * n * ((size_t)loaded.n_sources + loaded.n_absents + 1));
    }
    tg_free(ctx, block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tagma_ctx_options options = TAGMA_CTX_OPTIONS_INIT;
    tagma_ctx *ctx;
    uint8_t *bytes;
    size_t n;

    if (size < 1)
        return 0;
    n = size - 1;
    bytes = malloc(n + 1); /* as long as the input, so that a byte past it is seen */
    memcpy(bytes, data + 1, n);
    options.limits.max_memory = MEMORY_BYTES_MAX;
    FUZZ_CHECK(tagma_ctx_new(&options, &ctx) == TAGMA_OK);
    switch (data[0] % 5 + HEAD) {
    case HEAD:
        head(ctx, bytes, n);
        break;
    case DIRECTORY:
        directory(ctx, bytes, n);
        break;
    case SCHEMA:
        schema(ctx, bytes, n);
        break;
    case ORIGIN:
        origin(ctx, bytes, n);
        break;
    default:
        provenance(ctx, bytes, n);
    }
    FUZZ_CHECK(tagma_ctx_memory(ctx) == 0);
    tagma_ctx_free(ctx);
    free(bytes);
    return 0;
}
