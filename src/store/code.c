/* SPDX-License-Identifier: Apache-2.0
 * Choosing the code of a column: what it would take as offset, sign and magnitude, prefix, dictionary; the least wins. */
#include "store/code.h"

#include "store/decimal.h"

enum {
    TABLE_SLOTS =
        4096, /* a hash table that is never more than a quarter full, or every prefix of TABLE_BITS bits */
    TABLE_BITS = 12,
    BLOCK = 512 /* values widened at a time: they stay in the first-level cache */
};

void tg_coder_free(tagma_ctx *ctx, tg_coder *coder)
{
    tg_free(ctx, coder->heads);
    tg_free(ctx, coder->keys);
    tg_free(ctx, coder->numbers);
    tg_buf_free(ctx, &coder->rest);
    *coder = (tg_coder){0};
}

void tg_coded_free(tagma_ctx *ctx, tg_coded *coded)
{
    tg_free(ctx, coded->heads);
    tg_free(ctx, coded->words);
    tg_free(ctx, coded->presence);
    tg_free(ctx, coded->text_ends);
    tg_free(ctx, coded->texts);
    *coded = (tg_coded){0};
}

static uint32_t zeros_of(uint64_t v)
{
    return v == 0 ? 0 : (uint32_t)__builtin_ctzll(v);
}

/* The values of a column, seen a block at a time as 64-bit words. */
typedef struct run {
    const uint8_t *bytes;
    uint64_t n;
    uint32_t width;
} run;

/* Widen the block that begins at value `first`; how many it has. */
static uint32_t widen(const run *values, uint64_t first, uint64_t *restrict to)
{
    const uint8_t *from = values->bytes + first * values->width;
    uint32_t n = (uint32_t)(values->n - first < BLOCK ? values->n - first : BLOCK);

    switch (values->width) {
    case 1:
        for (uint32_t i = 0; i < n; i++)
            to[i] = from[i];
        break;
    case 2:
        for (uint32_t i = 0; i < n; i++) {
            uint16_t v;
            memcpy(&v, from + 2 * (size_t)i, sizeof v);
            to[i] = v;
        }
        break;
    case 4:
        for (uint32_t i = 0; i < n; i++) {
            uint32_t v;
            memcpy(&v, from + 4 * (size_t)i, sizeof v);
            to[i] = v;
        }
        break;
    default:
        memcpy(to, from, (size_t)n * 8);
    }
    return n;
}

static uint64_t value_at(const run *values, uint64_t i)
{
    uint64_t v = 0;

    memcpy(&v, values->bytes + i * values->width, values->width);
    return v;
}

static tagma_status make_room(tagma_ctx *ctx, tg_coder *coder)
{
    if (coder->numbers)
        return TAGMA_OK;
    coder->heads = tg_alloc(ctx, TG_HEADS_MAX, sizeof *coder->heads);
    coder->keys = tg_alloc(ctx, TABLE_SLOTS, sizeof *coder->keys);
    coder->numbers = tg_alloc(ctx, TABLE_SLOTS, sizeof *coder->numbers);
    if (coder->heads && coder->keys && coder->numbers)
        return TAGMA_OK;
    tg_coder_free(ctx, coder);
    return TAGMA_E_MEMORY;
}

/* Facts of a column in one pass. Signed order is unsigned order with the top bit flipped. */
typedef struct facts {
    uint64_t least, most;                                    /* in the type's own order */
    uint64_t least_plus, most_plus, least_minus, most_minus; /* by the top bit, as unsigned */
    uint64_t any, diff; /* or of all values; of all differences from the first */
    bool has_plus, has_minus;
} facts;

static facts gather(const run *values, uint64_t top, bool is_signed)
{
    uint64_t block[BLOCK], first = value_at(values, 0);
    uint64_t any = 0, diff = 0, least_low = UINT64_MAX, most_low = 0, least_high = UINT64_MAX, most_high = 0;
    facts f;

    for (uint64_t at = 0; at < values->n; at += BLOCK) {
        uint32_t n = widen(values, at, block);

        for (uint32_t i = 0; i < n; i++) {
            uint64_t v = block[i], high = v & top ? UINT64_MAX : 0;

            any |= v;
            diff |= v ^ first;
            least_low = (v | high) < least_low ? v : least_low;
            most_low = (v & ~high) > most_low ? v : most_low;
            least_high = (v | ~high) < least_high ? v : least_high;
            most_high = (v & high) > most_high ? v : most_high;
        }
    }
    f.any = any;
    f.diff = diff;
    f.has_minus = (any & top) != 0;
    f.has_plus = !(first & top) || (diff & top);
    /* A half that no value lies in has bounds that are never looked at. */
    f.least_plus = least_low;
    f.most_plus = most_low;
    f.least_minus = least_high;
    f.most_minus = most_high;
    f.least = f.has_minus && (is_signed || !f.has_plus) ? least_high : least_low;
    f.most = f.has_plus && (is_signed || !f.has_minus) ? most_low : most_high;
    return f;
}

/* Where a prefix stands in the table: itself where it is short, else by hash. */
static inline uint64_t slot_of(const tg_coder *coder, uint64_t key, bool is_direct)
{
    uint64_t at;

    if (is_direct)
        return key;
    at = key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TABLE_BITS);
    while (coder->numbers[at] != 0 && coder->keys[at] != key)
        at = (at + 1) % TABLE_SLOTS;
    return at;
}

/* Distinct values of v >> shift, numbered as they come; gives up past `most` of them. The table stays for encoding. */
static uint32_t count_distinct(tg_coder *coder, const run *values, uint32_t shift, bool is_direct,
                               uint32_t most)
{
    uint64_t block[BLOCK], last = ~(value_at(values, 0) >> shift);
    uint32_t n_heads = 0;

    memset(coder->numbers, 0, TABLE_SLOTS * sizeof *coder->numbers);
    for (uint64_t first = 0; first < values->n; first += BLOCK) {
        uint32_t n = widen(values, first, block);

        for (uint32_t i = 0; i < n; i++) {
            uint64_t key = block[i] >> shift, at;

            if (key == last)
                continue;
            last = key;
            at = slot_of(coder, key, is_direct);
            if (coder->numbers[at] != 0)
                continue;
            if (n_heads == most)
                return most + 1;
            coder->keys[at] = key;
            coder->heads[n_heads] = key << shift;
            coder->numbers[at] = (uint16_t)++n_heads;
        }
    }
    return n_heads;
}

uint64_t tg_code_cost(const tg_code *code, uint64_t n, uint64_t n_words)
{
    return n_words * code->w + (uint64_t)code->n_heads * code->bytes * 8 + (code->is_sparse ? n : 0);
}

/* A code with what encoding by it needs. */
typedef struct choice {
    tg_code code;
    facts facts;
    uint32_t shift; /* bits below the head of a prefix or dictionary */
} choice;

static void offset_code(const run *values, choice *out)
{
    tg_code *code = &out->code;
    uint64_t span = (out->facts.most - out->facts.least) & tg_bits_mask(code->bytes * 8U);
    uint64_t block[BLOCK], any = 0;

    /* Where all differences from the least are even, so are all from the first. */
    if (!(out->facts.diff & 1) && span > 0)
        for (uint64_t first = 0; first < values->n && !(any & 1); first += BLOCK) {
            uint32_t n = widen(values, first, block);
            for (uint32_t i = 0; i < n; i++)
                any |= block[i] - out->facts.least;
        }
    code->tz = (uint8_t)zeros_of(any);
    code->w = code->m = (uint8_t)tg_bits_of(span >> code->tz);
    code->n_heads = 1;
    code->kind = code->w == 0 ? TG_CODE_CONSTANT : TG_CODE_OFFSET;
    if (code->m == 64) { /* a shift by 64 is undefined: two heads */
        code->m = 63;
        code->n_heads = 2;
        code->kind = TG_CODE_PLAIN;
    }
}

static void signed_code(const facts *f, tg_code *out)
{
    uint64_t span_plus = f->most_plus - f->least_plus, span_minus = f->most_minus - f->least_minus;

    /* Heads keep the bits below tz, which all values share. */
    out->tz = (uint8_t)zeros_of(f->diff & ~(UINT64_C(1) << (out->bytes * 8 - 1)));
    out->m = (uint8_t)tg_bits_of((span_plus > span_minus ? span_plus : span_minus) >> out->tz);
    out->w = (uint8_t)(out->m + 1);
    out->n_heads = 2;
    out->kind = TG_CODE_SIGNED;
}

/* With how many heads n words with `low` bits below them still take less than a budget; the number of the head is part of a word. */
static uint32_t most_heads(uint64_t n, uint32_t low, uint32_t head_bytes, uint64_t budget)
{
    uint32_t most = 0;

    for (uint32_t w = 0; w < TABLE_BITS && n * (low + w) < budget;
         w++) { /* 2^w of them have numbers of w bits */
        uint64_t heads = (budget - n * (low + w) - 1) / ((uint64_t)head_bytes * 8), all = UINT64_C(1) << w;

        heads = heads < all ? heads : all;
        most = heads > most ? (uint32_t)heads : most;
    }
    return most < TG_HEADS_MAX ? most : TG_HEADS_MAX;
}

/* Try one prefix length; it is taken if it beats what the choice costs so far. */
static void try_prefix(tg_coder *coder, const run *values, uint32_t shift, choice *best)
{
    tg_code code = best->code;
    uint64_t n = values->n, budget = tg_code_cost(&best->code, n, n);
    uint64_t low = best->facts.any & tg_bits_mask(shift);
    uint32_t most;

    code.tz = (uint8_t)(low == 0 ? shift : zeros_of(low));
    code.m = (uint8_t)(low == 0 ? 0 : shift - code.tz);
    most = most_heads(n, code.m, code.bytes, budget);
    if (most == 0)
        return;
    code.n_heads = (uint16_t)count_distinct(coder, values, shift, shift > 0, most);
    if (code.n_heads > most)
        return; /* as soon as there is one too many: of what resists, few values are seen */
    code.w = (uint8_t)(code.m + tg_bits_of(code.n_heads - 1U));
    code.kind = code.m == 0 ? TG_CODE_DICTIONARY : TG_CODE_PREFIX;
    best->code = code;
    best->shift = shift;
}

/* Numbers that floats give at so many digits. */
typedef struct decimals {
    uint32_t width, digits;
    int64_t least, most;
} decimals;

/* Take in the number of a value; false if it has none. */
static bool add_number(uint64_t bits, decimals *to)
{
    int64_t k;

    if (!tg_decimal_of(bits, to->digits, to->width, &k))
        return false;
    to->least = k < to->least ? k : to->least;
    to->most = k > to->most ? k : to->most;
    return true;
}

static bool are_too_wide(const decimals *of, uint32_t most_bits)
{
    return of->least < of->most && tg_bits_of((uint64_t)of->most - (uint64_t)of->least) > most_bits;
}

/* How many digits all values have; false if one has too many, or those of the first block take over most_bits each, which more
 * digits would only make more. */
static bool find_digits(const run *values, uint32_t most_bits, decimals *found)
{
    uint64_t block[BLOCK];
    decimals few = *found;

    for (uint64_t first = 0; first < values->n; first += BLOCK) {
        uint32_t n = widen(values, first, block);

        for (uint32_t i = 0; i < n; i++)
            if (!tg_decimal_digits(block[i], found->width, &found->digits))
                return false;
        few.digits = found->digits;
        for (uint32_t i = 0; first == 0 && i < n; i++)
            (void)add_number(block[i], &few); /* who has none of so many digits is told below */
        if (are_too_wide(&few, most_bits))
            return false;
    }
    return true;
}

static bool find_range(const run *values, uint32_t most_bits, decimals *found)
{
    uint64_t block[BLOCK];

    for (uint64_t first = 0; first < values->n; first += BLOCK) {
        uint32_t n = widen(values, first, block);

        for (uint32_t i = 0; i < n; i++)
            if (!add_number(block[i], found))
                return false;
        if (are_too_wide(found, most_bits))
            return false;
    }
    return found->least < found->most;
}

/* Floats of few digits; a division a value is worth a sixteenth. */
static void try_decimal(const run *values, choice *best)
{
    decimals found = {.width = best->code.bytes == 8 ? 3 : 2, .least = INT64_MAX, .most = INT64_MIN};
    tg_code code = best->code;
    uint64_t n = values->n, budget = tg_code_cost(&best->code, n, n), cost;

    code.kind = TG_CODE_DECIMAL;
    code.n_heads = 1;
    for (code.w = 64; code.w > 0; code.w--) { /* as wide as it may be */
        cost = tg_code_cost(&code, n, n);
        if (cost + cost / 16 < budget)
            break;
    }
    if (code.w == 0 || !find_digits(values, code.w, &found) || !find_range(values, code.w, &found))
        return;
    code.tz = (uint8_t)found.digits;
    code.w = code.m = (uint8_t)tg_bits_of((uint64_t)found.most - (uint64_t)found.least);
    best->code = code;
    best->facts.least = (uint64_t)found.least;
}

static bool is_signed_type(tagma_type type)
{
    return type == TAGMA_I8 || type == TAGMA_I16 || type == TAGMA_I32 || type == TAGMA_I64;
}

/* The least of all codes for a run of values, which is not empty. */
static choice choose(tg_coder *coder, const run *values, tagma_type type)
{
    uint32_t bits = values->width * 8;
    choice best = {.code.bytes = (uint8_t)values->width};
    tg_code other = best.code;
    uint64_t n = values->n;

    best.facts = gather(values, UINT64_C(1) << (bits - 1), is_signed_type(type));
    offset_code(values, &best);
    if (best.code.w == 0)
        return best;
    if (best.facts.has_plus && best.facts.has_minus && !is_signed_type(type)) {
        signed_code(&best.facts, &other);
        if (tg_code_cost(&other, n, n) < tg_code_cost(&best.code, n, n))
            best.code = other;
    }
    if (type == TAGMA_F32 || type == TAGMA_F64)
        try_prefix(coder, values, type == TAGMA_F32 ? 23 : 52, &best);
    if (best.code.w > 1)
        try_prefix(coder, values, 0, &best);
    if (type == TAGMA_F32 || type == TAGMA_F64)
        try_decimal(values, &best);
    return best;
}

/* Words of one block, in place. */
static void to_words(const tg_coder *coder, const choice *by, uint64_t *restrict block, uint32_t n)
{
    const tg_code *code = &by->code;
    uint64_t mask = tg_bits_mask(code->bytes * 8U), top = UINT64_C(1) << (code->bytes * 8 - 1);
    uint64_t least = by->facts.least, low = code->m == 0 ? 0 : tg_bits_mask(by->shift);
    uint32_t tz = code->tz;

    switch ((tg_code_kind)code->kind) {
    case TG_CODE_SIGNED:
        for (uint32_t i = 0; i < n; i++) {
            uint64_t v = block[i], minus = (v & top) != 0;
            block[i] = (v - coder->heads[minus]) >> tz | minus << code->m;
        }
        break;
    case TG_CODE_PREFIX:
    case TG_CODE_DICTIONARY:
        for (uint32_t i = 0; i < n; i++) {
            uint64_t v = block[i], at = slot_of(coder, v >> by->shift, by->shift > 0);
            block[i] = (coder->numbers[at] - UINT64_C(1)) << code->m | (v & low) >> tz;
        }
        break;
    case TG_CODE_DECIMAL:
        for (uint32_t i = 0; i < n; i++) {
            int64_t k = 0;
            (void)tg_decimal_of(block[i], tz, code->bytes == 8 ? 3 : 2, &k); /* has been tried */
            block[i] = (uint64_t)k - least;
        }
        break;
    default:
        for (uint32_t i = 0; i < n; i++)
            block[i] = ((block[i] - least) & mask) >> tz;
    }
}

static void set_heads(tg_coder *coder, const run *values, const choice *by)
{
    switch ((tg_code_kind)by->code.kind) {
    case TG_CODE_SIGNED:
        coder->heads[0] = by->facts.least_plus;
        coder->heads[1] = by->facts.least_minus;
        break;
    case TG_CODE_PREFIX:
    case TG_CODE_DICTIONARY:
        (void)count_distinct(coder, values, by->shift, by->shift > 0, TG_HEADS_MAX);
        break;
    default:
        coder->heads[0] = by->facts.least;
        coder->heads[1] = by->facts.least + (UINT64_C(1) << 63);
    }
}

static tagma_status encode(tagma_ctx *ctx, tg_coder *coder, const run *values, const choice *by,
                           tg_coded *out)
{
    uint64_t block[BLOCK];
    tg_bits_writer words;

    set_heads(coder, values, by);
    out->code = by->code;
    out->n_words = values->n;
    out->heads = tg_alloc(ctx, by->code.n_heads, sizeof *out->heads);
    out->words = tg_alloc(ctx, values->n * by->code.w / 8 + 1 + TG_BITS_SLACK, 1);
    if (!out->heads || !out->words)
        return TAGMA_E_MEMORY;
    memcpy(out->heads, coder->heads, by->code.n_heads * sizeof *out->heads);
    words = (tg_bits_writer){.at = out->words};
    for (uint64_t first = 0; by->code.w > 0 && first < values->n; first += BLOCK) {
        uint32_t n = widen(values, first, block);

        to_words(coder, by, block, n);
        for (uint32_t i = 0; i < n; i++)
            tg_bits_write(&words, block[i], by->code.w);
    }
    tg_bits_end(&words);
    return TAGMA_OK;
}

/* The value that is more than half of all, if there is one (Boyer and Moore's vote, then counted). */
static uint64_t majority(const run *values, uint64_t *n_common)
{
    uint64_t block[BLOCK], candidate = 0, lead = 0, count = 0;

    for (uint64_t first = 0; first < values->n; first += BLOCK) {
        uint32_t n = widen(values, first, block);
        for (uint32_t i = 0; i < n; i++) {
            candidate = lead == 0 ? block[i] : candidate;
            lead += block[i] == candidate ? 1 : UINT64_MAX;
        }
    }
    for (uint64_t first = 0; first < values->n; first += BLOCK) {
        uint32_t n = widen(values, first, block);
        for (uint32_t i = 0; i < n; i++)
            count += block[i] == candidate;
    }
    *n_common = count;
    return candidate;
}

/* The values that are not the common one, into coder->rest. */
static tagma_status keep_rest(tagma_ctx *ctx, tg_coder *coder, const run *values, uint64_t common, run *rest)
{
    uint64_t block[BLOCK];
    uint8_t *to;

    TG_TRY(tg_buf_reserve(ctx, &coder->rest, rest->n * values->width + sizeof(uint64_t)));
    to = coder->rest.bytes;
    for (uint64_t first = 0; first < values->n; first += BLOCK) {
        uint32_t n = widen(values, first, block);
        for (uint32_t i = 0; i < n; i++) {
            memcpy(to, &block[i], sizeof block[i]); /* the next one overwrites what is too much */
            to += block[i] == common ? 0 : values->width;
        }
    }
    rest->bytes = coder->rest.bytes;
    rest->width = values->width;
    return TAGMA_OK;
}

static tagma_status set_presence(tagma_ctx *ctx, const run *values, uint64_t common, tg_coded *out)
{
    uint64_t block[BLOCK];
    tg_bits_writer bits;

    out->presence = tg_alloc(ctx, values->n / 8 + 1 + TG_BITS_SLACK, 1);
    if (!out->presence)
        return TAGMA_E_MEMORY;
    bits = (tg_bits_writer){.at = out->presence};
    for (uint64_t first = 0; first < values->n; first += BLOCK) {
        uint32_t n = widen(values, first, block);
        for (uint32_t i = 0; i < n; i++)
            tg_bits_write(&bits, block[i] != common, 1);
    }
    tg_bits_end(&bits);
    return TAGMA_OK;
}

/* Would a presence bit an item pay, saving 3 % at least? Then *rest and *out are what to encode. */
static tagma_status try_sparse(tagma_ctx *ctx, tg_coder *coder, const run *values, tagma_type type,
                               const tg_code *whole, run *rest, choice *out, bool *pays)
{
    uint64_t n_common, common = majority(values, &n_common), n = values->n, whole_cost, cost;

    *pays = false;
    if (n_common * whole->w <= n)
        return TAGMA_OK;
    rest->n = n - n_common;
    TG_TRY(keep_rest(ctx, coder, values, common, rest));
    *out = choose(coder, rest, type);
    out->code.is_sparse = true;
    out->code.common = common;
    whole_cost = tg_code_cost(whole, n, n);
    cost = tg_code_cost(&out->code, n, rest->n);
    *pays = cost + whole_cost / 32 < whole_cost;
    return TAGMA_OK;
}

tagma_status tg_code_encode(tagma_ctx *ctx, tg_coder *coder, tagma_type type, const void *values, uint64_t n,
                            bool may_be_sparse, tg_coded *out)
{
    run all = {.bytes = values, .n = n, .width = tagma_type_bytes(type)}, rest = {0};
    choice whole = {.code = {.bytes = (uint8_t)all.width, .n_heads = 1}}, sparse;
    bool pays = false;

    *out = (tg_coded){.n = n};
    TG_TRY(make_room(ctx, coder));
    if (n > 0)
        whole = choose(coder, &all, type);
    if (may_be_sparse && whole.code.w > 1)
        TG_TRY(try_sparse(ctx, coder, &all, type, &whole.code, &rest, &sparse, &pays));
    if (!pays)
        return encode(ctx, coder, &all, &whole, out);
    TG_TRY(set_presence(ctx, &all, sparse.code.common, out));
    return encode(ctx, coder, &rest, &sparse, out);
}

tagma_status tg_code_plain(tagma_ctx *ctx, tg_coder *coder, tagma_type type, const void *values, uint64_t n,
                           tg_coded *out)
{
    run all = {.bytes = values, .n = n, .width = tagma_type_bytes(type)};
    uint8_t bits = type == TAGMA_BOOL ? 1 : (uint8_t)(8 * all.width);
    choice plain = {
        .code = {.kind = TG_CODE_OFFSET, .w = bits, .m = bits, .bytes = (uint8_t)all.width, .n_heads = 1}};

    if (bits == 64)
        plain.code = (tg_code){.kind = TG_CODE_PLAIN, .w = 64, .m = 63, .bytes = 8, .n_heads = 2};
    *out = (tg_coded){.n = n};
    TG_TRY(make_room(ctx, coder));
    return encode(ctx, coder, &all, &plain, out);
}

const char *tg_code_name(uint32_t kind)
{
    static const char *const names[TG_N_CODE_KINDS] = {"constant",   "offset", "signed", "prefix",
                                                       "dictionary", "plain",  "count",  "decimal",
                                                       "alias",      "texts"};

    return names[kind];
}
