/* SPDX-License-Identifier: Apache-2.0
 * The table of a cluster, written and loaded. */
#include "store/codetable.h"

#include "base/num.h"
#include "event/schema.h"
#include "store/decimal.h"

uint32_t tg_tile_events(uint32_t wanted, uint64_t n_events)
{
    uint64_t padded = (n_events + TG_TILE_PAD - 1) / TG_TILE_PAD * TG_TILE_PAD;

    return wanted < padded ? wanted : (uint32_t)padded;
}

void tg_code_write(const tg_code *code, uint8_t flags, uint8_t *bytes)
{
    bytes[0] = code->kind;
    bytes[1] = code->w;
    bytes[2] = code->m;
    bytes[3] = code->tz;
    bytes[4] = (uint8_t)(flags | (code->is_sparse ? TG_CODE_SPARSE : 0));
    bytes[5] = 0;
    bytes[6] = (uint8_t)code->n_heads;
    bytes[7] = (uint8_t)(code->n_heads >> 8);
    if (code->kind == TG_CODE_ALIAS)
        tg_put_le32(bytes + 4, (uint32_t)code->common);
    if (code->kind == TG_CODE_TEXTS) {
        tg_put_le32(bytes, TG_CODE_TEXTS | (uint32_t)code->w << 8 | (code->n_texts - 1) << 16);
        tg_put_le32(bytes + 4, code->text_bytes);
    }
}

static tagma_status fail_code(tagma_ctx *ctx, const uint8_t *bytes, uint32_t width)
{
    return tg_fail(ctx, TAGMA_E_CORRUPT,
                   "code of kind %u, w %u, m %u, tz %u, flags %u, %u heads for values of %u bytes", bytes[0],
                   bytes[1], bytes[2], bytes[3], bytes[4], tg_le16(bytes + 6), 1U << width);
}

tagma_status tg_code_load(tagma_ctx *ctx, const uint8_t *bytes, tagma_type type, tg_slot *slot,
                          uint32_t *n_heads)
{
    return tg_code_unpack(tg_le64(bytes), type, slot, n_heads) ? TAGMA_OK
                                                               : fail_code(ctx, bytes, tg_type_width(type));
}

uint64_t tg_heads_bytes(const tg_code *code)
{
    return ((uint64_t)code->n_heads + code->is_sparse) * code->bytes + code->n_texts * sizeof(uint32_t) +
           code->text_bytes;
}

uint64_t tg_heads_write(const tg_coded *coded, uint8_t *bytes)
{
    const tg_code *code = &coded->code;
    uint8_t eight[8];

    if (code->is_sparse) {
        tg_put_le64(eight, code->common);
        memcpy(bytes, eight, code->bytes);
        bytes += code->bytes;
    }
    for (uint32_t i = 0; i < code->n_heads; i++, bytes += code->bytes) {
        tg_put_le64(eight, coded->heads[i]);
        memcpy(bytes, eight, code->bytes);
    }
    return tg_heads_bytes(code);
}

tg_heads tg_heads_at(const uint8_t *bytes)
{
    const void *at = bytes;

    return (tg_heads){at, at, at, at};
}

void tg_heads_fix(uint8_t *bytes, uint64_t n, uint32_t width)
{
    if (tg_is_little_endian())
        return;
    for (uint64_t i = 0; i < n; i++, bytes += UINT64_C(1) << width)
        for (uint32_t a = 0, b = (1U << width) - 1; a < b; a++, b--) {
            uint8_t held = bytes[a];
            bytes[a] = bytes[b];
            bytes[b] = held;
        }
}

/* Of texts: what stands among heads of 4 bytes, and of 1. */
static uint64_t bytes_of_texts(const tg_code *code, uint32_t width_bytes)
{
    if (width_bytes == sizeof(uint32_t))
        return code->n_texts * sizeof(uint32_t);
    return width_bytes == 1 ? code->text_bytes : 0;
}

/* Heads of the codes of one width, and how far those of a code may be read. */
static uint64_t measure_heads(const tg_table_input *input, uint32_t bytes, uint64_t at, uint64_t *reach)
{
    for (uint32_t i = 0; i < input->fields->n_columns + input->n_nullable; i++) {
        const tg_code *code = &input->coded[i].code;
        uint64_t end;

        if (code->kind == TG_CODE_TEXTS) {
            at += bytes_of_texts(code, bytes);
            continue;
        }
        if (code->bytes != bytes || code->n_heads == 0)
            continue;
        end = at + ((UINT64_C(1) << (code->w - code->m)) + code->is_sparse) * bytes;
        *reach = end > *reach ? end : *reach;
        at += tg_heads_bytes(code);
    }
    return at;
}

/* Heads of one width, or what texts have among them; how many bytes. */
static uint64_t put_heads(const tg_coded *coded, uint32_t bytes, uint8_t *to)
{
    const tg_code *code = &coded->code;

    if (code->kind != TG_CODE_TEXTS)
        return code->bytes == bytes && code->n_heads > 0 ? tg_heads_write(coded, to) : 0;
    if (bytes == sizeof *coded->text_ends)
        for (uint32_t i = 0; i < code->n_texts; i++)
            tg_put_le32(to + i * sizeof *coded->text_ends, coded->text_ends[i]);
    else if (bytes == 1 && code->text_bytes > 0)
        memcpy(to, coded->texts, code->text_bytes);
    return bytes_of_texts(code, bytes);
}

static uint64_t before_heads(const tg_fields *fields, uint32_t n_nullable, uint32_t n_tiles)
{
    uint64_t bytes = TG_TABLE_HEAD + (uint64_t)fields->n_lists * TG_TABLE_LISTS +
                     ((uint64_t)fields->n_columns + n_nullable) * TG_CODE_BYTES + 4 * (uint64_t)n_nullable +
                     4 * ((uint64_t)n_tiles + 1);

    return (bytes + 7) / 8 * 8;
}

tagma_status tg_table_write(tagma_ctx *ctx, const tg_table_input *input, tg_buf *out)
{
    uint32_t n_codes = input->fields->n_columns + input->n_nullable;
    uint64_t at_heads = before_heads(input->fields, input->n_nullable, input->n_tiles), end = 0, reach = 0;
    uint8_t *at;

    for (uint32_t bytes = 8; bytes > 0; bytes /= 2)
        end = measure_heads(input, bytes, end, &reach);
    end = reach > end ? reach : end;
    out->n = 0;
    TG_TRY(tg_buf_reserve(ctx, out, at_heads + end));
    out->n = at_heads + end;
    at = out->bytes;
    memset(at, 0, out->n);
    tg_put_le32(at, input->n_events);
    tg_put_le32(at + 4, input->tile_events);
    tg_put_le32(at + 8, input->n_tiles);
    tg_put_le32(at + 12, input->n_nullable);
    tg_put_le64(at + 16, end);
    at += TG_TABLE_HEAD;
    for (uint32_t l = 0; l < input->fields->n_lists; l++, at += TG_TABLE_LISTS) {
        tg_put_le64(at, input->n_items[l]);
        tg_put_le64(at + 8, input->end_bits[l]);
    }
    for (uint32_t i = 0; i < n_codes; i++, at += TG_CODE_BYTES)
        tg_code_write(&input->coded[i].code, 0, at);
    for (uint32_t i = 0; i < input->n_nullable; i++, at += 4)
        tg_put_le32(at, input->nullable[i]);
    for (uint32_t i = 0; i <= input->n_tiles; i++, at += 4)
        tg_put_le32(at, input->tiles[i]);
    at = out->bytes + at_heads;
    for (uint32_t bytes = 8; bytes > 0; bytes /= 2)
        for (uint32_t i = 0; i < n_codes; i++)
            at += put_heads(&input->coded[i], bytes, at);
    return TAGMA_OK;
}

/* What is being loaded. */
typedef struct loading {
    tagma_ctx *ctx;
    const tg_fields *fields;
    const tg_shape *shapes; /* of the schema */
    const tg_cluster *cluster;
    const char *file;
    tg_table *table;
    const uint8_t *codes; /* TG_CODE_BYTES each */
    uint32_t n_heads[4];  /* by width, so far */
    uint32_t reach[4];    /* how far heads of a width may be read */
    uint64_t bits, most;  /* of an event at fixed places, so far; that are possible */
} loading;

static tagma_status wrong(const loading *at, const char *what, uint64_t found, uint64_t expected)
{
    return tg_fail(at->ctx, TAGMA_E_CORRUPT,
                   "%s: table of the cluster of entry %" PRIu64 ", byte %" PRIu64 ": %s %" PRIu64
                   ", expected %" PRIu64,
                   at->file, at->cluster->first_entry, at->cluster->table_at, what, found, expected);
}

/* A field whose words are those of an earlier one, of the same type, lists and number of words. */
static tagma_status load_alias(const loading *at, uint32_t field, const uint8_t *bytes)
{
    const tg_fields *fields = at->fields;
    uint32_t other = tg_le32(bytes + 4), c = fields->columns[field], o;

    if (other >= field || bytes[1] != 0 || bytes[2] != 0 || bytes[3] != 0)
        return wrong(at, "an alias of field", other, field);
    o = fields->columns[other];
    if (at->shapes[c].type != at->shapes[o].type || fields->column_lists[c] != fields->column_lists[o] ||
        tg_shape_words(&at->shapes[c]) != tg_shape_words(&at->shapes[o]) ||
        at->table->slots[other].kind == TG_CODE_COUNT || at->table->slots[other].is_sparse)
        return wrong(at, "an alias of a field of another kind,", other, field);
    at->table->slots[field] = at->table->slots[other];
    return TAGMA_OK;
}

static tagma_status fail_slot(const loading *at, uint32_t c, const uint8_t *bytes, tagma_type type)
{
    return tg_within(at->ctx, fail_code(at->ctx, bytes, tg_type_width(type)),
                     "%s: table of the cluster of entry %" PRIu64 ", byte %" PRIu64 ", branch %s", at->file,
                     at->cluster->first_entry, at->cluster->table_at,
                     tagma_schema_column(at->fields->schema, c)->name);
}

/* The slot of a field of column c. *is_alias: nothing more is to be done. */
static inline __attribute__((always_inline)) tagma_status load_slot(loading *at, uint32_t field, uint32_t c,
                                                                    bool is_validity, bool *is_alias)
{
    const uint8_t *bytes = at->codes + (size_t)field * TG_CODE_BYTES;
    const tg_shape *shape = &at->shapes[c];
    tagma_type type = shape->type == TAGMA_STRING ? TAGMA_U8 : (tagma_type)shape->type;
    tg_slot slot = {0};
    uint32_t n_heads = 0, reach;

    *is_alias = bytes[0] == TG_CODE_ALIAS && !is_validity;
    if (*is_alias)
        return load_alias(at, field, bytes);
    if (is_validity)
        type = TAGMA_BOOL;
    if (!tg_code_unpack(tg_le64(bytes), type, &slot, &n_heads))
        return fail_slot(at, c, bytes, type);
    slot.n_words = is_validity ? 1 : tg_shape_words(shape);
    slot.head = at->n_heads[slot.width] + slot.is_sparse;
    at->n_heads[slot.width] += n_heads;
    reach = slot.head + (uint32_t)tg_slot_reach(&slot);
    at->reach[slot.width] = reach > at->reach[slot.width] ? reach : at->reach[slot.width];
    at->table->slots[field] = slot;
    return TAGMA_OK;
}

/* Ends of lists that events have stand at fixed places of every tile, first of all. */
static tagma_status place_ends(loading *at)
{
    const tg_fields *fields = at->fields;
    tg_table *table = at->table;

    at->most = (uint64_t)TG_TILE_BYTES_MAX * 8 / table->tile_events;
    for (uint32_t l = 0; l < fields->n_lists; l++) {
        if (fields->lists[l].parent != TAGMA_NONE)
            continue;
        table->lists[l].ends_at = (uint32_t)(at->bits * table->tile_events);
        at->bits += (uint64_t)fields->lists[l].per_parent * table->lists[l].end_bits;
        if (at->bits > at->most)
            return wrong(at, "bits of an event", at->bits, at->most);
    }
    return TAGMA_OK;
}

/* A word an event, or several, behind those before. */
static tagma_status load_fixed(loading *at, uint32_t field, uint32_t c, bool is_validity)
{
    tg_slot *slot = &at->table->slots[field];
    bool is_alias;

    TG_TRY(load_slot(at, field, c, is_validity, &is_alias));
    if (is_alias)
        return TAGMA_OK;
    if (slot->is_sparse)
        return wrong(at, "sparse scalars", 1, 0);
    if (slot->kind == TG_CODE_COUNT && (is_validity || at->fields->column_count[c] == TAGMA_NONE))
        return wrong(at, "counts of no lists", 1, 0);
    slot->at = (uint32_t)(at->bits * at->table->tile_events);
    at->bits += (uint64_t)slot->n_words * slot->w;
    return at->bits > at->most ? wrong(at, "bits of an event", at->bits, at->most) : TAGMA_OK;
}

/* Strings as numbers of texts: these words stand where else ends would, and the field has none. */
static tagma_status load_texts(loading *at, uint32_t l)
{
    tg_table *table = at->table;
    uint32_t field = at->fields->lists[l].first_field, *n_ends = &at->n_heads[2], *n_bytes = &at->n_heads[0];
    const uint8_t *code = at->codes + (size_t)field * TG_CODE_BYTES;
    uint32_t n = tg_le16(code + 2) + 1U, bytes = tg_le32(code + 4);

    if (code[1] != tg_bits_of(n - 1) || code[1] != table->lists[l].end_bits)
        return wrong(at, "bits of a text's number", table->lists[l].end_bits, tg_bits_of(n - 1));
    if (((uint64_t)*n_ends + n) * sizeof(uint32_t) > table->heads_bytes)
        return wrong(at, "texts, for which there is no room:", n, table->heads_bytes / sizeof(uint32_t));
    if ((uint64_t)*n_bytes + bytes > table->heads_bytes)
        return wrong(at, "bytes of texts", bytes, table->heads_bytes - *n_bytes);
    table->slots[field] = (tg_slot){.at = *n_ends, .head = *n_bytes, .n_words = 1, .kind = TG_CODE_TEXTS};
    table->lists[l].are_texts = true;
    table->lists[l].last_text = (uint16_t)(n - 1);
    table->n_text_columns++;
    *n_ends += n;
    *n_bytes += bytes;
    return TAGMA_OK;
}

/* Texts follow one another, from the first byte to the last that is theirs. */
static tagma_status check_texts(const loading *at, uint32_t l)
{
    const tg_texts texts = tg_table_texts(at->table, l);
    uint32_t field = at->fields->lists[l].first_field, last = 0,
             bytes = tg_le32(at->codes + (size_t)field * TG_CODE_BYTES + 4);

    for (uint32_t i = 0; i < texts.n; i++) {
        if (texts.ends[i] < last || texts.ends[i] > bytes)
            return wrong(at, "the end of a text,", texts.ends[i], texts.ends[i] < last ? last : bytes);
        last = texts.ends[i];
    }
    return last == bytes ? TAGMA_OK : wrong(at, "the end of the last text,", last, bytes);
}

static tagma_status load_items(loading *at, uint32_t l)
{
    const tg_fields *fields = at->fields;
    tg_table *table = at->table;
    uint32_t first = fields->lists[l].first_field, end = first + fields->lists[l].n_fields;
    uint64_t bits = 0, presence = 0;

    if (fields->lists[l].column != TAGMA_NONE && at->codes[(size_t)first * TG_CODE_BYTES] == TG_CODE_TEXTS)
        return load_texts(at, l);
    for (uint32_t f = first; f < end; f++) {
        tg_slot *slot = &table->slots[f];
        bool is_alias;

        TG_TRY(load_slot(at, f, fields->columns[f], false, &is_alias));
        if (is_alias)
            continue;
        if (slot->kind == TG_CODE_COUNT)
            return wrong(at, "counts in items", 1, 0);
        if (slot->is_sparse) {
            slot->at = table->n_sparse;
            presence += slot->n_words;
            table->sparse[table->n_sparse] = f;
            table->sparse_lists[table->n_sparse++] = l;
        } else {
            slot->at = (uint32_t)bits;
            bits += (uint64_t)slot->n_words * slot->w;
        }
        if (bits > UINT32_MAX || presence > UINT32_MAX)
            return wrong(at, "bits of an item", bits + presence, UINT32_MAX);
    }
    table->lists[l].item_bits = (uint32_t)bits;
    table->lists[l].presence_bits = (uint32_t)presence;
    return TAGMA_OK;
}

/* Heads stand by width, widest first; none may be read past the table. */
static tagma_status load_heads(loading *at, uint8_t *heads, uint64_t n)
{
    uint64_t starts[4] = {0}, end = 0;
    tg_table *table = at->table;

    for (uint32_t w = 4; w > 0; w--) {
        starts[w - 1] = end;
        end += (uint64_t)at->n_heads[w - 1] << (w - 1);
    }
    for (uint32_t w = 0; w < 4; w++)
        if (starts[w] + ((uint64_t)at->reach[w] << w) > n || end > n)
            return wrong(at, "bytes of heads", n, starts[w] + ((uint64_t)at->reach[w] << w));
    for (uint32_t w = 0; w < 4 && table->bytes; w++)
        tg_heads_fix(heads + starts[w], at->n_heads[w], w);
    table->heads.eight = tg_heads_at(heads + starts[3]).eight;
    table->heads.four = tg_heads_at(heads + starts[2]).four;
    table->heads.two = tg_heads_at(heads + starts[1]).two;
    table->heads.one = heads + starts[0];
    return TAGMA_OK;
}

/* The head of the table. Sizes: n_columns and n_lists are those of a schema in memory. */
static tagma_status load_head(const loading *at, const uint8_t *bytes)
{
    const tg_fields *fields = at->fields;
    tg_table *table = at->table;
    uint64_t before, n = at->cluster->table_bytes;

    if (n < TG_TABLE_HEAD)
        return wrong(at, "bytes", n, TG_TABLE_HEAD);
    table->n_events = tg_le32(bytes);
    table->tile_events = tg_le32(bytes + 4);
    table->n_tiles = tg_le32(bytes + 8);
    table->n_nullable = tg_le32(bytes + 12);
    table->heads_bytes = tg_le64(bytes + 16);
    if (table->n_events != at->cluster->n_events || table->n_events == 0)
        return wrong(at, "number of events", table->n_events, at->cluster->n_events);
    if (table->tile_events == 0 || table->tile_events > TG_TILE_EVENTS_MAX)
        return wrong(at, "events of a tile", table->tile_events, TG_TILE_EVENTS);
    if (table->n_tiles != (table->n_events - 1) / table->tile_events + 1)
        return wrong(at, "number of tiles", table->n_tiles, (table->n_events - 1) / table->tile_events + 1);
    if (table->n_tiles > 1 && (table->tile_events & (table->tile_events - 1)))
        return wrong(at, "events of a tile, no power of 2:", table->tile_events, TG_TILE_EVENTS);
    if (table->n_nullable > fields->n_columns)
        return wrong(at, "number of columns with nulls", table->n_nullable, fields->n_columns);
    before = before_heads(fields, table->n_nullable, table->n_tiles);
    if (table->heads_bytes > n || before != n - table->heads_bytes)
        return wrong(at, "bytes", n, before + table->heads_bytes);
    return TAGMA_OK;
}

static tagma_status make_room(const loading *at)
{
    const tg_fields *fields = at->fields;
    tg_table *table = at->table;
    uint64_t n_codes = (uint64_t)fields->n_columns + table->n_nullable;
    uint8_t *room = tg_alloc(at->ctx, 1,
                             fields->n_lists * sizeof(tg_table_lists) + n_codes * sizeof(tg_slot) +
                                 (2 * (uint64_t)fields->n_columns + table->n_nullable) * sizeof(uint32_t));

    table->block = room;
    if (!room)
        return TAGMA_E_MEMORY;
    table->lists = (tg_table_lists *)(void *)room;
    table->slots = (tg_slot *)(void *)(room += fields->n_lists * sizeof(tg_table_lists));
    table->nullable = (uint32_t *)(void *)(room + n_codes * sizeof(tg_slot));
    table->sparse = table->nullable + table->n_nullable;
    table->sparse_lists = table->sparse + fields->n_columns;
    return TAGMA_OK;
}

static tagma_status load_lists(const loading *at, const uint8_t *bytes)
{
    tg_table *table = at->table;

    for (uint32_t l = 0; l < at->fields->n_lists; l++, bytes += TG_TABLE_LISTS) {
        uint64_t end_bits = tg_le64(bytes + 8);

        table->lists[l] = (tg_table_lists){.n_items = tg_le64(bytes)};
        if (table->lists[l].n_items > INT32_MAX)
            return wrong(at, "number of items", table->lists[l].n_items, INT32_MAX);
        if (end_bits > 31)
            return wrong(at, "bits of an end", end_bits, 31);
        table->lists[l].end_bits = (uint8_t)end_bits;
        table->n_inner += at->fields->lists[l].parent != TAGMA_NONE;
    }
    return TAGMA_OK;
}

static tagma_status load_nullable(const loading *at, const uint8_t *bytes)
{
    for (uint32_t i = 0; i < at->table->n_nullable; i++) {
        uint32_t column = tg_le32(bytes + 4 * (size_t)i);

        if (column >= at->fields->n_columns || (i > 0 && column <= at->table->nullable[i - 1]))
            return wrong(at, "a column with nulls", column, at->fields->n_columns);
        at->table->nullable[i] = column;
    }
    return TAGMA_OK;
}

static tagma_status begin(loading *at)
{
    const tg_fields *fields = at->fields;
    tg_table *table = at->table;

    TG_TRY(load_head(at, table->start));
    table->codes = table->start + TG_TABLE_HEAD + (size_t)fields->n_lists * TG_TABLE_LISTS;
    table->tiles = table->codes + (size_t)fields->n_columns * TG_CODE_BYTES +
                   (size_t)table->n_nullable * (TG_CODE_BYTES + sizeof(uint32_t));
    return TAGMA_OK;
}

static tagma_status finish(loading *at)
{
    const tg_fields *fields = at->fields;
    tg_table *table = at->table;

    TG_TRY(make_room(at));
    TG_TRY(load_lists(at, table->start + TG_TABLE_HEAD));
    at->codes = table->codes;
    TG_TRY(load_nullable(at, table->tiles - sizeof(uint32_t) * table->n_nullable));
    TG_TRY(place_ends(at));
    for (uint32_t f = 0; f < fields->n_scalars; f++)
        TG_TRY(load_fixed(at, f, fields->columns[f], false));
    for (uint32_t l = 0; l < fields->n_lists; l++)
        TG_TRY(load_items(at, l));
    for (uint32_t i = 0; i < table->n_nullable; i++)
        TG_TRY(load_fixed(at, fields->n_columns + i, table->nullable[i], true));
    table->fixed_bits = at->bits * table->tile_events;
    /* Only what is ours is ever written to. */
    TG_TRY(load_heads(at, (uint8_t *)table->start + (at->cluster->table_bytes - table->heads_bytes),
                      table->heads_bytes));
    for (uint32_t l = 0; table->n_text_columns > 0 && l < fields->n_lists; l++)
        if (table->lists[l].are_texts)
            TG_TRY(check_texts(at, l));
    return TAGMA_OK;
}

tagma_status tg_table_begin(tagma_ctx *ctx, const tg_fields *fields, const tg_cluster *cluster,
                            const uint8_t *bytes, const char *file, tg_table *out)
{
    loading at = {.ctx = ctx, .fields = fields, .cluster = cluster, .file = file, .table = out};
    uint8_t *own = out->bytes;
    tagma_status st;

    *out = (tg_table){.bytes = own,
                      .start = bytes,
                      .fields = fields,
                      .first_entry = cluster->first_entry,
                      .tiles_at = cluster->tiles_at,
                      .tiles_bytes = cluster->tiles_bytes};
    st = begin(&at);
    if (st < 0)
        tg_table_free(ctx->account, out);
    return st;
}

tagma_status tg_table_finish(tagma_ctx *ctx, const tg_cluster *cluster, const char *file, tg_table *table)
{
    loading at = {.ctx = ctx,
                  .fields = table->fields,
                  .shapes = table->fields->shapes,
                  .cluster = cluster,
                  .file = file,
                  .table = table};
    tagma_status st = finish(&at);

    if (st < 0)
        tg_table_free(ctx->account, table);
    return st;
}

void tg_table_free(tg_account *account, tg_table *table)
{
    tg_account_free(account, table->bytes);
    tg_account_free(account, table->block);
    memset(table, 0, sizeof *table);
}
