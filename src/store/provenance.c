/* SPDX-License-Identifier: Apache-2.0
 * Where a store comes from, as bytes. */
#include "store/provenance.h"

#include "base/in.h"

enum { HEAD_BYTES = 32, SOURCE_BYTES = 40, ABSENT_BYTES = 32 };

/* Records first, then the texts they name, each with a 0 behind. */
typedef struct texts {
    tagma_ctx *ctx;
    tg_buf *out;   /* the whole section */
    uint64_t from; /* where texts begin */
    tagma_status status;
} texts;

static uint32_t put_text(texts *to, const char *text)
{
    uint64_t at = to->out->n - to->from;

    if (to->status == TAGMA_OK)
        to->status = tg_buf_put(to->ctx, to->out, text ? text : "", text ? strlen(text) + 1 : 1);
    if (to->status == TAGMA_OK && to->out->n - to->from > INT32_MAX)
        to->status = tg_fail(to->ctx, TAGMA_E_LIMIT, "over %d bytes of provenance", INT32_MAX);
    return (uint32_t)at;
}

tagma_status tg_provenance_write(tagma_ctx *ctx, const tg_provenance *provenance, tg_buf *out)
{
    uint64_t from = HEAD_BYTES + (uint64_t)provenance->n_sources * SOURCE_BYTES +
                    (uint64_t)provenance->n_absents * ABSENT_BYTES;
    texts to = {.ctx = ctx, .out = out, .from = from};
    uint32_t word;

    out->n = 0;
    TG_TRY(tg_buf_reserve(ctx, out, from));
    memset(out->bytes, 0, from);
    out->n = from;
    tg_put_le32(out->bytes, provenance->n_sources);
    tg_put_le32(out->bytes + 4, provenance->n_absents);
    word = put_text(&to, provenance->producer);
    tg_put_le32(out->bytes + 8, word);
    word = put_text(&to, provenance->options);
    tg_put_le32(out->bytes + 12, word);
    for (uint32_t i = 0; to.status == TAGMA_OK && i < provenance->n_sources; i++) {
        const tg_provenance_source *source = &provenance->sources[i];
        uint64_t at = HEAD_BYTES + (uint64_t)i * SOURCE_BYTES;
        uint32_t file = put_text(&to, source->file), uuid = put_text(&to, source->uuid);
        uint32_t tree = put_text(&to, source->tree);

        tg_put_le32(out->bytes + at, file);
        tg_put_le32(out->bytes + at + 4, uuid);
        tg_put_le32(out->bytes + at + 8, tree);
        tg_put_le32(out->bytes + at + 12, source->cycle);
        tg_put_le64(out->bytes + at + 16, source->file_bytes);
        tg_put_le64(out->bytes + at + 24, source->n_entries);
    }
    for (uint32_t i = 0; to.status == TAGMA_OK && i < provenance->n_absents; i++) {
        const tg_provenance_absent *absent = &provenance->absents[i];
        uint64_t at =
            HEAD_BYTES + (uint64_t)provenance->n_sources * SOURCE_BYTES + (uint64_t)i * ABSENT_BYTES;
        uint32_t name = put_text(&to, absent->name), words = put_text(&to, absent->words);

        tg_put_le32(out->bytes + at, absent->source);
        tg_put_le32(out->bytes + at + 4, absent->kind);
        tg_put_le32(out->bytes + at + 8, name);
        tg_put_le32(out->bytes + at + 12, words);
        tg_put_le64(out->bytes + at + 16, absent->n);
    }
    return to.status;
}

/* What is being loaded. */
typedef struct loading {
    tagma_ctx *ctx;
    const char *file, *texts;
    uint64_t offset, n_texts;
    bool is_wrong;
} loading;

static const char *text_at(loading *at, uint32_t offset)
{
    if (offset < at->n_texts)
        return at->texts + offset;
    at->is_wrong = true;
    return "";
}

static tagma_status fail(const loading *at)
{
    return tg_fail(at->ctx, TAGMA_E_CORRUPT,
                   "%s: provenance section, byte %" PRIu64 ": a number in it leads out of it", at->file,
                   at->offset);
}

tagma_status tg_provenance_load(tagma_ctx *ctx, const uint8_t *bytes, uint64_t n, const char *file,
                                uint64_t offset, tg_provenance *out, void **block)
{
    loading at = {.ctx = ctx, .file = file, .offset = offset};
    tg_in in = tg_in_of(bytes, n);
    tg_provenance_source *sources;
    tg_provenance_absent *absents;
    uint64_t records;

    memset(out, 0, sizeof *out);
    *block = NULL;
    out->n_sources = tg_in_le32(&in);
    out->n_absents = tg_in_le32(&in);
    records = HEAD_BYTES + (uint64_t)out->n_sources * SOURCE_BYTES + (uint64_t)out->n_absents * ABSENT_BYTES;
    if (n <= records || bytes[n - 1] != 0)
        return fail(&at);
    at.texts = (const char *)bytes + records;
    at.n_texts = n - records;
    sources = tg_alloc(ctx, 1, out->n_sources * sizeof *sources + out->n_absents * sizeof *absents);
    if (!sources)
        return TAGMA_E_MEMORY;
    *block = sources;
    absents = (tg_provenance_absent *)(void *)(sources + out->n_sources);
    out->sources = sources;
    out->absents = absents;
    out->producer = text_at(&at, tg_in_le32(&in));
    out->options = text_at(&at, tg_in_le32(&in));
    tg_in_seek(&in, HEAD_BYTES);
    for (uint32_t i = 0; i < out->n_sources; i++) {
        sources[i].file = text_at(&at, tg_in_le32(&in));
        sources[i].uuid = text_at(&at, tg_in_le32(&in));
        sources[i].tree = text_at(&at, tg_in_le32(&in));
        sources[i].cycle = tg_in_le32(&in);
        sources[i].file_bytes = tg_in_le64(&in);
        sources[i].n_entries = tg_in_le64(&in);
        tg_in_skip(&in, 8);
    }
    for (uint32_t i = 0; i < out->n_absents; i++) {
        uint32_t kind;

        absents[i].source = tg_in_le32(&in);
        kind = tg_in_le32(&in);
        at.is_wrong |= absents[i].source >= out->n_sources || kind >= TG_N_ABSENT_KINDS;
        absents[i].kind = (tagma_absent_kind)kind;
        absents[i].name = text_at(&at, tg_in_le32(&in));
        absents[i].words = text_at(&at, tg_in_le32(&in));
        absents[i].n = tg_in_le64(&in);
        tg_in_skip(&in, 8);
    }
    if (!at.is_wrong)
        return TAGMA_OK;
    tg_free(ctx, *block);
    *block = NULL;
    return fail(&at);
}
