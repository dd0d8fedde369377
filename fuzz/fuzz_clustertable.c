/* SPDX-License-Identifier: Apache-2.0
 * A cluster's table and one of its tiles, over a schema of many shapes: loaded, compiled, run. Input: u16 the length of the table
 * (little-endian), a byte (the event in the tile; bit 7: all columns that the fast way knows), the table, then the tile. */
#include "fuzz.h"

#include <string.h>

#include "event/schema.h"
#include "store/copyplan.h"
#include "store/direct.h"

enum { MEMORY_BYTES_MAX = 64 << 20, RECORD_BYTES = 1 << 14, HEAD_BYTES = 3 };

static const uint32_t dims[] = {3};
/* The first N_SIMPLE are scalars and lists; the rest strings and lists of lists. */
static const tagma_column columns[] = {
    {"nHit", "nHit", "", NULL, NULL, 0, 1, TAGMA_U32, 0, TAGMA_NONE},
    {"a", "a", "", NULL, NULL, 0, 1, TAGMA_F32, 0, TAGMA_NONE},
    {"b", "b", "", NULL, NULL, 0, 1, TAGMA_F32, 0, TAGMA_NONE},
    {"good", "good", "", NULL, NULL, 0, 1, TAGMA_BOOL, 0, TAGMA_NONE},
    {"wide", "wide", "", NULL, NULL, 0, 1, TAGMA_U64, 0, TAGMA_NONE},
    {"axes", "axes", "", NULL, dims, 1, 3, TAGMA_I16, 0, TAGMA_NONE},
    {"Hit_t", "Hit_t", "", NULL, NULL, 0, 1, TAGMA_F64, 1, 0},
    {"Hit_e", "Hit_e", "", NULL, NULL, 0, 1, TAGMA_F32, 1, 0},
    {"Hit_f", "Hit_f", "", NULL, NULL, 0, 1, TAGMA_F32, 1, 0},
    {"Hit_id", "Hit_id", "", NULL, NULL, 0, 1, TAGMA_U8, 1, 0},
    {"own", "own", "", NULL, NULL, 0, 1, TAGMA_BOOL, 1, 1},
    {"name", "name", "", NULL, NULL, 0, 1, TAGMA_STRING, 0, TAGMA_NONE},
    {"deep", "deep", "", NULL, NULL, 0, 1, TAGMA_U16, 2, 3},
};
enum { N_SIMPLE = 11, N_ALL = sizeof columns / sizeof columns[0] };
static const tagma_collection collections[] = {{"nHit", TAGMA_NONE, 0},
                                               {"own", TAGMA_NONE, TAGMA_NONE},
                                               {"deep", TAGMA_NONE, TAGMA_NONE},
                                               {"deep", 2, TAGMA_NONE}};

static tagma_schema *make_schema(tagma_ctx *ctx, bool is_simple)
{
    tagma_schema *schema;
    uint32_t number;

    FUZZ_CHECK(tg_schema_new(ctx, &schema) == TAGMA_OK);
    for (int i = 0; i < (is_simple ? 2 : 4); i++)
        FUZZ_CHECK(tg_schema_add_collection(ctx, schema, &collections[i], &number) == TAGMA_OK);
    for (int i = 0; i < (is_simple ? N_SIMPLE : N_ALL); i++)
        FUZZ_CHECK(tg_schema_add_column(ctx, schema, &columns[i], &number) == TAGMA_OK);
    FUZZ_CHECK(tg_schema_seal(ctx, schema) == TAGMA_OK);
    return schema;
}

/* Every value of a record lies in it. */
static void check_record(const tagma_record_plan *plan, const uint8_t *record, size_t needed)
{
    for (uint32_t c = 0; c < tagma_record_plan_n_columns(plan); c++) {
        tagma_record_value value;

        FUZZ_CHECK(tagma_record_column(plan, record, c, &value) == TAGMA_OK);
        FUZZ_CHECK(value.n_values == 0 ||
                   ((const uint8_t *)value.values >= record &&
                    (const uint8_t *)value.values + value.n_values <= record + needed));
    }
}

/* An input on its way. */
typedef struct input {
    tagma_ctx *ctx;
    const tg_fields *fields;
    tg_cluster cluster;
    const uint8_t *table_bytes;
    tg_tile tile;
    uint32_t k;
    uint64_t *direct, *planned; /* [RECORD_BYTES / 8] */
} input;

/* What the fast way gives, the other gives, too, byte for byte. */
static void run_plan(const input *it, const tagma_record_plan *record, const tg_table *table, bool was_direct,
                     size_t direct_bytes)
{
    tg_copyplan plan;
    size_t needed = 0;
    tagma_status st = tg_copyplan_compile(it->ctx, table, record, &plan);

    FUZZ_CHECK(st == TAGMA_OK);
    for (uint32_t k = 0; k < table->tile_events && k < 16; k++) {
        memset(it->planned, 0, RECORD_BYTES); /* what pads a record is nobody's */
        st = tg_copyplan_run(it->ctx, &plan, record, &it->tile, k, (uint8_t *)it->planned, RECORD_BYTES,
                             &needed);
        FUZZ_CHECK(st == TAGMA_OK ||
                   ((st == TAGMA_E_CORRUPT || st == TAGMA_E_LIMIT) && *tagma_ctx_message(it->ctx)));
        if (st == TAGMA_OK)
            check_record(record, (const uint8_t *)it->planned, needed);
        if (k != it->k || !was_direct)
            continue;
        FUZZ_CHECK(st == TAGMA_OK && needed == direct_bytes);
        FUZZ_CHECK(memcmp(it->direct, it->planned, needed) == 0);
    }
    tg_copyplan_free(it->ctx->account, &plan);
}

static void run(const input *it, const tagma_record_plan *record)
{
    tg_table table = {0};
    size_t direct_bytes = 0;
    bool was_direct = false;
    tagma_status st = tg_table_begin(it->ctx, it->fields, &it->cluster, it->table_bytes, "x", &table);

    FUZZ_CHECK(st == TAGMA_OK || (st == TAGMA_E_CORRUPT && *tagma_ctx_message(it->ctx)));
    if (st < 0)
        return;
    if (it->k < table.tile_events)
        was_direct = tg_direct_event(&table, record, &it->tile, it->k, (uint8_t *)it->direct, RECORD_BYTES,
                                     &direct_bytes);
    if (was_direct)
        check_record(record, (const uint8_t *)it->direct, direct_bytes);
    st = tg_table_finish(it->ctx, &it->cluster, "x", &table);
    FUZZ_CHECK(st == TAGMA_OK || (st == TAGMA_E_CORRUPT && *tagma_ctx_message(it->ctx)));
    FUZZ_CHECK(st == TAGMA_OK || !was_direct);
    if (st == TAGMA_OK)
        run_plan(it, record, &table, was_direct, direct_bytes);
    tg_table_free(it->ctx->account, &table);
}

static void run_all(input *it, bool is_simple)
{
    tagma_schema *schema = make_schema(it->ctx, is_simple);
    tagma_record_plan *record;
    tg_fields fields;

    FUZZ_CHECK(tg_fields_new(it->ctx, schema, &fields) == TAGMA_OK);
    FUZZ_CHECK(tagma_record_plan_new(it->ctx, schema, NULL, 0, &record) == TAGMA_OK);
    it->fields = &fields;
    run(it, record);
    tagma_record_plan_free(record);
    tg_fields_free(it->ctx, &fields);
    tg_schema_free(schema);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tagma_ctx_options options = TAGMA_CTX_OPTIONS_INIT;
    size_t table_bytes = size < HEAD_BYTES ? 0 : tg_le16(data), tile_bytes;
    uint8_t *table, *tile;
    input it = {0};

    if (size < HEAD_BYTES + table_bytes || table_bytes < 4)
        return 0;
    tile_bytes = size - HEAD_BYTES - table_bytes;
    table = malloc(table_bytes);
    tile = calloc(1, tile_bytes + TG_BITS_SLACK);
    memcpy(table, data + HEAD_BYTES, table_bytes);
    memcpy(tile, data + HEAD_BYTES + table_bytes, tile_bytes);
    options.limits.max_memory = MEMORY_BYTES_MAX;
    FUZZ_CHECK(tagma_ctx_new(&options, &it.ctx) == TAGMA_OK);
    it.table_bytes = table;
    it.cluster = (tg_cluster){
        .n_events = tg_le32(table), .table_bytes = (uint32_t)table_bytes, .tiles_bytes = UINT32_MAX};
    it.tile = (tg_tile){tile, 8 * (uint64_t)tile_bytes, 0};
    it.k = data[2] & 0x7f;
    it.direct = calloc(1, RECORD_BYTES);
    it.planned = malloc(RECORD_BYTES);
    run_all(&it, data[2] >> 7);
    FUZZ_CHECK(tagma_ctx_memory(it.ctx) == 0);
    tagma_ctx_free(it.ctx);
    free(it.direct);
    free(it.planned);
    free(table);
    free(tile);
    return 0;
}
