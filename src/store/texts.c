/* SPDX-License-Identifier: Apache-2.0
 * Strings as numbers of the distinct texts of their column. */
#include "store/texts.h"

#include "base/hash.h"

enum {
    BYTES_MAX = 256 << 10, /* of all texts of a column in a cluster: a table is read whole for one event */
    SLOTS_MIN = 1024
};

void tg_text_coder_free(tagma_ctx *ctx, tg_text_coder *coder)
{
    tg_buf_free(ctx, &coder->numbers);
    tg_buf_free(ctx, &coder->slots);
    tg_buf_free(ctx, &coder->hashes);
    tg_buf_free(ctx, &coder->ends);
    tg_buf_free(ctx, &coder->bytes);
}

/* Texts while they are found: a hash table that is never more than half full. */
typedef struct finding {
    tg_text_coder *coder;
    uint32_t *slots; /* [n_slots] */
    uint64_t n_slots;
    uint32_t n_texts;
    uint32_t n_bytes;
} finding;

/* The slot of a string, or a free one. */
static uint64_t slot_of(const finding *it, uint64_t hash, const uint8_t *string, uint32_t n)
{
    const uint64_t *hashes = (const uint64_t *)(const void *)it->coder->hashes.bytes;
    const uint32_t *ends = (const uint32_t *)(const void *)it->coder->ends.bytes;
    uint64_t at = hash & (it->n_slots - 1);

    for (; it->slots[at] != 0; at = (at + 1) & (it->n_slots - 1)) {
        uint32_t text = it->slots[at] - 1, begin = text == 0 ? 0 : ends[text - 1];

        if (hashes[text] == hash && ends[text] - begin == n &&
            (n == 0 || memcmp(it->coder->bytes.bytes + begin, string, n) == 0))
            break;
    }
    return at;
}

/* Slots for twice as many texts; those that there are find their places again. */
static tagma_status make_slots(tagma_ctx *ctx, finding *it)
{
    const uint64_t *hashes = (const uint64_t *)(const void *)it->coder->hashes.bytes;

    it->n_slots = it->n_slots == 0 ? SLOTS_MIN : 2 * it->n_slots;
    TG_TRY(tg_buf_reserve(ctx, &it->coder->slots, it->n_slots * sizeof *it->slots));
    it->slots = (uint32_t *)(void *)it->coder->slots.bytes;
    memset(it->slots, 0, it->n_slots * sizeof *it->slots);
    for (uint32_t i = 0; i < it->n_texts; i++) {
        uint64_t at = hashes[i] & (it->n_slots - 1);

        while (it->slots[at] != 0)
            at = (at + 1) & (it->n_slots - 1);
        it->slots[at] = i + 1;
    }
    return TAGMA_OK;
}

static tagma_status add_text(tagma_ctx *ctx, finding *it, uint64_t hash, const uint8_t *string, uint32_t n,
                             uint64_t slot)
{
    it->slots[slot] = ++it->n_texts;
    it->n_bytes += n;
    TG_TRY(tg_buf_put(ctx, &it->coder->hashes, &hash, sizeof hash));
    TG_TRY(tg_buf_put(ctx, &it->coder->ends, &it->n_bytes, sizeof it->n_bytes));
    TG_TRY(tg_buf_put(ctx, &it->coder->bytes, string, n));
    return 2 * (uint64_t)it->n_texts < it->n_slots ? TAGMA_OK : make_slots(ctx, it);
}

static uint64_t bits_of_texts(const finding *it)
{
    return 8 * (it->n_texts * sizeof(uint32_t) + it->n_bytes);
}

/* The texts of n strings, and which each string is. Gives up where they are too many, too long, or take `bits` by themselves. */
static tagma_status find_texts(tagma_ctx *ctx, finding *it, const uint8_t *bytes, const uint32_t *offsets,
                               uint64_t n, uint64_t bits, bool *are_few)
{
    uint16_t *numbers;

    *are_few = false;
    it->coder->hashes.n = it->coder->ends.n = it->coder->bytes.n = 0;
    TG_TRY(make_slots(ctx, it));
    TG_TRY(tg_buf_reserve(ctx, &it->coder->numbers, n * sizeof *numbers));
    numbers = (uint16_t *)(void *)it->coder->numbers.bytes;
    for (uint64_t i = 0; i < n; i++) {
        const uint8_t *string = bytes + offsets[i];
        uint32_t n_bytes = offsets[i + 1] - offsets[i];
        uint64_t hash = tg_hash(string, n_bytes), slot = slot_of(it, hash, string, n_bytes);

        if (it->slots[slot] == 0) {
            if (it->n_texts == TG_TEXTS_MAX || n_bytes > BYTES_MAX - it->n_bytes || bits_of_texts(it) >= bits)
                return TAGMA_OK;
            numbers[i] = (uint16_t)it->n_texts;
            TG_TRY(add_text(ctx, it, hash, string, n_bytes, slot));
        } else {
            numbers[i] = (uint16_t)(it->slots[slot] - 1);
        }
    }
    *are_few = true;
    return TAGMA_OK;
}

static tagma_status keep(tagma_ctx *ctx, const finding *it, uint64_t n, tg_coded *out)
{
    const uint16_t *numbers = (const uint16_t *)(const void *)it->coder->numbers.bytes;
    tg_bits_writer words;

    out->words = tg_alloc(ctx, n * out->code.w / 8 + 1 + TG_BITS_SLACK, 1);
    out->text_ends = tg_alloc(ctx, it->n_texts, sizeof *out->text_ends);
    out->texts = tg_alloc(ctx, it->n_bytes, 1);
    if (!out->words || !out->text_ends || !out->texts)
        return TAGMA_E_MEMORY;
    memcpy(out->text_ends, it->coder->ends.bytes, it->n_texts * sizeof *out->text_ends);
    if (it->n_bytes > 0)
        memcpy(out->texts, it->coder->bytes.bytes, it->n_bytes);
    words = (tg_bits_writer){.at = out->words};
    for (uint64_t i = 0; out->code.w > 0 && i < n; i++)
        tg_bits_write(&words, numbers[i], out->code.w);
    tg_bits_end(&words);
    return TAGMA_OK;
}

tagma_status tg_texts_encode(tagma_ctx *ctx, tg_text_coder *coder, const uint8_t *bytes,
                             const uint32_t *offsets, uint64_t n, uint64_t bits, tg_coded *out, bool *is_less)
{
    finding it = {.coder = coder};

    *out = (tg_coded){.code = {.kind = TG_CODE_TEXTS, .bytes = 1}, .n = offsets[n], .n_words = n};
    *is_less = false;
    if (offsets[n] == 0) /* nothing to save */
        return TAGMA_OK;
    TG_TRY(find_texts(ctx, &it, bytes, offsets, n, bits, is_less));
    out->code.w = (uint8_t)tg_bits_of(it.n_texts - 1U);
    out->code.n_texts = it.n_texts;
    out->code.text_bytes = it.n_bytes;
    *is_less = *is_less && n * out->code.w + bits_of_texts(&it) < bits;
    return *is_less ? keep(ctx, &it, n, out) : TAGMA_OK;
}

static inline uint32_t begin_of(const tg_texts *texts, uint64_t number)
{
    return number == 0 ? 0 : texts->ends[number - 1];
}

static tagma_status fail_number(tagma_ctx *ctx, const tg_tile_texts *at, uint64_t string, uint64_t number)
{
    const tg_fields *fields = at->table->fields;

    return tg_fail(ctx, TAGMA_E_CORRUPT,
                   "branch %s: string %" PRIu64 " of the tile is text %" PRIu64 ", expected one of %" PRIu32,
                   tagma_schema_column(fields->schema, fields->lists[at->lists].column)->name, string, number,
                   at->table->lists[at->lists].last_text + 1U);
}

tagma_status tg_texts_measure(tagma_ctx *ctx, const tg_tile_texts *at, uint64_t first, uint64_t n,
                              uint64_t *bytes)
{
    const tg_texts texts = tg_table_texts(at->table, at->lists);
    const tg_table_lists *lists = &at->table->lists[at->lists];
    const tg_fields *fields = at->table->fields;
    uint32_t w = lists->end_bits;
    uint64_t bit = at->ends_at + first * w, total = 0;

    if (w == 0)
        total = n * texts.ends[0];
    for (uint64_t i = 0; w > 0 && i < n; i++, bit += w) {
        uint64_t number = tg_bits_near(at->tile->words, bit, w);

        if (number >= texts.n)
            return fail_number(ctx, at, first + i, number);
        total += texts.ends[number] - begin_of(&texts, number);
    }
    *bytes = total;
    if (total <= lists->n_items)
        return TAGMA_OK;
    return tg_fail(ctx, TAGMA_E_CORRUPT,
                   "branch %s: strings of %" PRIu64 " bytes, expected at most the %" PRIu64 " of the cluster",
                   tagma_schema_column(fields->schema, fields->lists[at->lists].column)->name, total,
                   lists->n_items);
}

void tg_texts_ends(const tg_tile_texts *at, uint64_t first, uint64_t n, uint32_t end, uint8_t *to)
{
    const tg_texts texts = tg_table_texts(at->table, at->lists);
    uint32_t w = at->table->lists[at->lists].end_bits;
    uint64_t bit = at->ends_at + first * w;

    for (uint64_t i = 0; i < n; i++, bit += w, to += sizeof end) {
        uint64_t number = tg_bits_near(at->tile->words, bit, w);

        end += texts.ends[number] - begin_of(&texts, number);
        memcpy(to, &end, sizeof end);
    }
}

void tg_texts_copy(const tg_tile_texts *at, uint64_t first, uint64_t n, uint8_t *to)
{
    const tg_texts texts = tg_table_texts(at->table, at->lists);
    uint32_t w = at->table->lists[at->lists].end_bits;
    uint64_t bit = at->ends_at + first * w;

    for (uint64_t i = 0; i < n; i++, bit += w) {
        uint64_t number = tg_bits_near(at->tile->words, bit, w);
        uint32_t begin = begin_of(&texts, number), n_bytes = texts.ends[number] - begin;

        memcpy(to, texts.bytes + begin, n_bytes);
        to += n_bytes;
    }
}
