/* SPDX-License-Identifier: Apache-2.0
 * Buffers that are counted one by one, and the batch that holds them. */
#include "event/batch.h"

#include <stdatomic.h>
#include <string.h>

#include "base/num.h"

struct tagma_buffer {
    atomic_uint_fast64_t users;
    tg_account *account;
    void *bytes;
    uint64_t n;
};

struct tagma_batch {
    tg_account *account;
    uint64_t n_entries;
    uint32_t n_columns;
    tagma_batch_column *columns;
};

tagma_status tg_buffer_adopt(tagma_ctx *ctx, void *block, uint64_t n, tagma_buffer **out)
{
    tagma_buffer *buffer = tg_alloc(ctx, 1, sizeof *buffer);

    *out = NULL;
    if (!buffer) {
        tg_free(ctx, block);
        return TAGMA_E_MEMORY;
    }
    atomic_init(&buffer->users, 1);
    buffer->account = tg_account_acquire(ctx->account);
    buffer->bytes = block;
    buffer->n = n;
    *out = buffer;
    return TAGMA_OK;
}

tagma_status tg_buffer_new(tagma_ctx *ctx, uint64_t n, tagma_buffer **out)
{
    void *block = tg_alloc(ctx, n, 1);

    *out = NULL;
    return block ? tg_buffer_adopt(ctx, block, n, out) : TAGMA_E_MEMORY;
}

void *tg_buffer_fill(tagma_buffer *buffer)
{
    return buffer->bytes;
}

void tg_buffer_trim(tagma_buffer *buffer, uint64_t n)
{
    buffer->n = n;
}

tagma_buffer *tagma_buffer_acquire(tagma_buffer *buffer)
{
    atomic_fetch_add_explicit(&buffer->users, 1, memory_order_relaxed);
    return buffer;
}

void tagma_buffer_release(tagma_buffer *buffer)
{
    tg_account *account;

    if (!buffer || atomic_fetch_sub_explicit(&buffer->users, 1, memory_order_acq_rel) != 1)
        return;
    account = buffer->account;
    tg_account_free(account, buffer->bytes);
    tg_account_free(account, buffer);
    tg_account_release(account);
}

const void *tagma_buffer_bytes(const tagma_buffer *buffer)
{
    return buffer->bytes;
}

uint64_t tagma_buffer_size(const tagma_buffer *buffer)
{
    return buffer->n;
}

tagma_status tg_batch_new_empty(tagma_ctx *ctx, uint64_t n_entries, uint32_t n_columns, tagma_batch **out)
{
    tagma_batch *batch = tg_zalloc(ctx, 1, sizeof *batch);

    *out = NULL;
    if (!batch)
        return TAGMA_E_MEMORY;
    batch->columns = tg_zalloc(ctx, n_columns, sizeof *batch->columns);
    if (!batch->columns) {
        tg_free(ctx, batch);
        return TAGMA_E_MEMORY;
    }
    batch->account = tg_account_acquire(ctx->account);
    batch->n_entries = n_entries;
    batch->n_columns = n_columns;
    *out = batch;
    return TAGMA_OK;
}

tagma_status tg_batch_new(tagma_ctx *ctx, const tagma_schema *schema, uint64_t n_entries,
                          const uint32_t *columns, uint32_t n_columns, tagma_batch **out)
{
    TG_TRY(tg_batch_new_empty(ctx, n_entries, n_columns, out));
    for (uint32_t i = 0; i < n_columns; i++) {
        const tagma_column *column = tagma_schema_column(schema, columns[i]);
        tagma_batch_column *to = &(*out)->columns[i];

        to->column = columns[i];
        to->type = column->type;
        to->n_items = column->n_items;
        to->n_levels = column->n_lists + (column->type == TAGMA_STRING);
    }
    return TAGMA_OK;
}

void tagma_batch_free(tagma_batch *batch)
{
    tg_account *account;

    if (!batch)
        return;
    for (uint32_t i = 0; i < batch->n_columns; i++) {
        tagma_batch_column *column = &batch->columns[i];

        tagma_buffer_release(column->values_buffer);
        for (uint32_t level = 0; level < 3; level++)
            tagma_buffer_release(column->offsets_buffers[level]);
        tagma_buffer_release(column->validity_buffer);
        tagma_buffer_release(column->damaged_buffer);
    }
    account = batch->account;
    tg_account_free(account, batch->columns);
    tg_account_free(account, batch);
    tg_account_release(account);
}

uint64_t tagma_batch_n_entries(const tagma_batch *batch)
{
    return batch->n_entries;
}

uint32_t tagma_batch_n_columns(const tagma_batch *batch)
{
    return batch->n_columns;
}

const tagma_batch_column *tagma_batch_column_at(const tagma_batch *batch, uint32_t i)
{
    return i < batch->n_columns ? &batch->columns[i] : NULL;
}

tagma_batch_column *tg_batch_column(tagma_batch *batch, uint32_t i)
{
    return &batch->columns[i];
}

tagma_status tagma_batch_bools(tagma_ctx *ctx, tagma_batch *batch, uint32_t i, bool bits)
{
    tagma_batch_column *column;
    const uint8_t *from;
    tagma_buffer *buffer;
    uint8_t *to;

    if (i >= batch->n_columns || batch->columns[i].type != TAGMA_BOOL)
        return tg_fail(ctx, TAGMA_E_ARG, "column %" PRIu32 " of the batch is no bool column", i);
    column = &batch->columns[i];
    if (column->is_bits == bits)
        return TAGMA_OK;
    TG_TRY(tg_buffer_new(ctx, bits ? (column->n_values + 7) / 8 : column->n_values, &buffer));
    from = column->values;
    to = tg_buffer_fill(buffer);
    if (bits)
        memset(to, 0, (column->n_values + 7) / 8);
    for (uint64_t k = 0; k < column->n_values; k++) {
        if (bits)
            to[k / 8] |= (uint8_t)((from[k] & 1) << (k % 8));
        else
            to[k] = from[k / 8] >> (k % 8) & 1;
    }
    tagma_buffer_release(column->values_buffer);
    column->values_buffer = buffer;
    column->values = to;
    column->is_bits = bits;
    return TAGMA_OK;
}
