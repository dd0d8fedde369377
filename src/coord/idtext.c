/* SPDX-License-Identifier: Apache-2.0
 * One id as text, read and written. */
#include "coord/idtext.h"

#include <stdio.h>
#include <string.h>

#include "base/ctx.h"
#include "base/num.h"
#include "coord/idnumber.h"

void tg_id_form_init(tg_id_form *form, uint32_t n_axes)
{
    memset(form, 0, sizeof *form);
    if (n_axes == 0)
        return;
    form->given[1] = (uint8_t)(1U << (n_axes - 1));
    form->axis[1][0] = (uint8_t)(n_axes - 1);
    if (n_axes == 1)
        return;
    form->given[2] = (uint8_t)(1U | 1U << (n_axes - 1));
    form->axis[2][0] = 0;
    form->axis[2][1] = (uint8_t)(n_axes - 1);
    form->given[n_axes] = (uint8_t)((1U << n_axes) - 1);
    for (uint32_t a = 0; a < n_axes; a++)
        form->axis[n_axes][a] = (uint8_t)a;
}

void tg_id_numbers_add(tg_id_numbers *numbers, const char *text, size_t n)
{
    uint64_t magnitude, a = 0, b = 0;
    bool is_negative;
    tg_id_kind kind = tg_id_number(text, n, &magnitude, &is_negative, &a, &b);

    if (kind != TG_ID_GOOD && numbers->fault.kind == TG_ID_GOOD)
        numbers->fault =
            (tg_id_fault){.kind = kind, .axis = numbers->n, .text = text, .n = n, .a = a, .b = b};
    if (numbers->n < TAGMA_MAX_ID_AXES) {
        numbers->magnitude[numbers->n] = magnitude;
        numbers->is_negative[numbers->n] = is_negative;
        numbers->text[numbers->n] = text;
        numbers->text_bytes[numbers->n] = n;
    }
    numbers->n++;
}

/* The number on an axis of that sign; 0 and minus 0 are the same. */
static tg_id_kind fit(uint64_t magnitude, bool is_negative, bool is_signed, uint64_t *value)
{
    if (!is_signed) {
        if (is_negative && magnitude != 0)
            return TG_ID_NEGATIVE;
        *value = magnitude;
        return TG_ID_GOOD;
    }
    if (magnitude > (uint64_t)INT64_MAX + (is_negative ? 1 : 0))
        return TG_ID_OVERFLOW;
    *value = is_negative ? 0 - magnitude : magnitude;
    return TG_ID_GOOD;
}

/* The fault of numbers that do not make an id, its axis told where the depth says which it is. */
static bool fault_of(const tagma_id_axes *axes, const tg_id_form *form, const tg_id_numbers *numbers,
                     tg_id_fault *fault)
{
    bool fits = numbers->n <= TAGMA_MAX_ID_AXES && form->given[numbers->n] != 0;

    *fault = numbers->fault;
    if (!fits && fault->kind != TG_ID_WORD) {
        *fault = (tg_id_fault){
            .kind = form->n_named > 0 ? TG_ID_NUMBERS : TG_ID_DEPTH, .a = numbers->n, .b = form->n_named};
        if (axes->n_axes == 0) {
            uint32_t last = (numbers->n < TAGMA_MAX_ID_AXES ? numbers->n : TAGMA_MAX_ID_AXES) - 1;
            fault->kind = TG_ID_NO_AXES;
            fault->text = numbers->text[0];
            fault->n = (size_t)(numbers->text[last] - numbers->text[0]) + numbers->text_bytes[last];
        }
    } else if (fits && form->axis[numbers->n][fault->axis] != TG_ID_PASSED_OVER) {
        fault->axis = form->axis[numbers->n][fault->axis];
    } else {
        fault->axis = TG_ID_ANY;
    }
    return false;
}

bool tg_id_place(const tagma_id_axes *axes, const tg_id_form *form, const tg_id_numbers *numbers,
                 tagma_id *id, tg_id_fault *fault)
{
    uint32_t n = numbers->n;

    if (numbers->fault.kind != TG_ID_GOOD || n > TAGMA_MAX_ID_AXES || form->given[n] == 0)
        return fault_of(axes, form, numbers, fault);
    memset(id, 0, sizeof *id);
    id->given = form->given[n];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t axis = form->axis[n][i];
        tg_id_kind kind;

        if (axis == TG_ID_PASSED_OVER)
            continue;
        kind = fit(numbers->magnitude[i], numbers->is_negative[i], axes->is_signed[axis], &id->axes[axis]);
        if (kind != TG_ID_GOOD) {
            *fault = (tg_id_fault){
                .kind = kind, .axis = axis, .text = numbers->text[i], .n = numbers->text_bytes[i]};
            return false;
        }
    }
    return true;
}

static void trim(const char **text, size_t *n)
{
    while (*n > 0 && ((*text)[0] == ' ' || (*text)[0] == '\t')) {
        ++*text;
        --*n;
    }
    while (*n > 0 && ((*text)[*n - 1] == ' ' || (*text)[*n - 1] == '\t'))
        --*n;
}

static bool read_entry(const char *text, size_t n, tagma_id *id, tg_id_fault *fault)
{
    uint64_t a, b;
    bool is_negative;
    tg_id_kind kind = TG_ID_ENTRY;
    size_t n_digits = 0;

    while (1 + n_digits < n && text[1 + n_digits] >= '0' && text[1 + n_digits] <= '9')
        n_digits++;
    memset(id, 0, sizeof *id);
    id->is_entry = true;
    if (n_digits > 0 && 1 + n_digits == n)
        kind = tg_id_number(text + 1, n_digits, &id->axes[0], &is_negative, &a, &b);
    *fault = (tg_id_fault){.kind = kind, .axis = TG_ID_ANY, .text = text, .n = n};
    return kind == TG_ID_GOOD;
}

bool tg_id_read(const tagma_id_axes *axes, const tg_id_form *form, const char *text, size_t n, tagma_id *id,
                tg_id_fault *fault)
{
    const char *end;
    tg_id_numbers numbers;

    trim(&text, &n);
    if (n > 0 && text[0] == '@')
        return read_entry(text, n, id, fault);
    end = text + n;
    tg_id_numbers_clear(&numbers);
    for (;;) {
        const char *colon = memchr(text, ':', (size_t)(end - text));
        const char *part = text;

        n = (size_t)((colon ? colon : end) - text);
        trim(&part, &n);
        tg_id_numbers_add(&numbers, part, n);
        if (!colon)
            break;
        text = colon + 1;
    }
    return tg_id_place(axes, form, &numbers, id, fault);
}

bool tagma_id_is_text(const char *text)
{
    bool is_entry = text[0] == '@';
    size_t n_digits = 0;

    for (size_t i = is_entry ? 1 : 0; text[i]; i++) {
        bool begins_number = i == 0 || text[i - 1] == ':';
        bool is_digit = text[i] >= '0' && text[i] <= '9';

        if (!is_digit && (is_entry || (text[i] != ':' && !(text[i] == '-' && begins_number))))
            return false;
        n_digits += is_digit;
    }
    return n_digits > 0;
}

tagma_status tagma_id_parse(tagma_ctx *ctx, const tagma_id_axes *axes, const char *text, const char *where,
                            tagma_id *out)
{
    char words[TG_MESSAGE_BYTES], place[128];
    tg_id_form form;
    tg_id_fault fault;

    tg_id_form_init(&form, axes->n_axes);
    if (tg_id_read(axes, &form, text, strlen(text), out, &fault))
        return TAGMA_OK;
    memset(out, 0, sizeof *out);
    if (!where) {
        snprintf(place, sizeof place, "\"%.100s\"", text);
        where = place;
    }
    tg_id_words(words, sizeof words, where, axes, &fault);
    return tg_fail(ctx, TAGMA_E_ARG, "%s", words);
}

/* A number's digits with what stands before them. @return how many characters were put. */
static size_t put_number(char *dst, char before, uint64_t magnitude, bool is_negative)
{
    char digits[20];
    size_t n = 0, m = 0;

    do {
        digits[m++] = (char)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude > 0);
    if (before)
        dst[n++] = before;
    if (is_negative)
        dst[n++] = '-';
    while (m > 0)
        dst[n++] = digits[--m];
    return n;
}

size_t tagma_id_spell(const tagma_id_axes *axes, const tagma_id *id, char *dst, size_t dst_bytes)
{
    char text[TAGMA_ID_TEXT_BYTES];
    size_t n = 0, kept;

    if (id->is_entry)
        n = put_number(text, '@', id->axes[0], false);
    for (uint32_t a = 0; a < axes->n_axes && !id->is_entry; a++) {
        uint64_t value = id->axes[a];
        bool is_negative = axes->is_signed[a] && value > INT64_MAX;

        if (id->given & 1U << a)
            n += put_number(text + n, n > 0 ? ':' : 0, is_negative ? 0 - value : value, is_negative);
    }
    if (dst_bytes > 0) {
        kept = n < dst_bytes ? n : dst_bytes - 1;
        memcpy(dst, text, kept);
        dst[kept] = 0;
    }
    return n;
}
