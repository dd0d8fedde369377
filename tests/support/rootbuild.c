/* SPDX-License-Identifier: Apache-2.0
 * Make small ROOT files. */
#include "support/rootbuild.h"

#include <string.h>

enum { KEY_FIXED_BYTES = 26, AT_END = 12, AT_NAME_BYTES = 28, AT_KEYS_BYTES = 10, AT_KEYS = 26 };

static const test_key root_key = {"TFile", "x", TEST_BEGIN, 3 + TEST_FIELDS_BYTES, 1};

void test_put_be(test_bytes *to, uint64_t value, int width)
{
    uint8_t bytes[8];

    for (int i = 0; i < width; i++)
        bytes[i] = (uint8_t)(value >> (8 * (width - 1 - i)));
    test_append(to, bytes, (size_t)width);
}

void test_patch_be32(test_bytes *file, size_t at, uint32_t value)
{
    for (size_t i = 0; i < 4; i++)
        file->bytes[at + i] = (uint8_t)(value >> (24 - 8 * i));
}

static void put_text(test_bytes *to, const char *text)
{
    test_put_be(to, strlen(text), 1);
    test_append(to, text, strlen(text));
}

uint32_t test_key_bytes(const test_key *key)
{
    return (uint32_t)(KEY_FIXED_BYTES + 3 + strlen(key->class_name) + strlen(key->name));
}

void test_put_key(test_bytes *to, const test_key *key, uint32_t directory)
{
    test_put_be(to, test_key_bytes(key) + key->payload_bytes, 4);
    test_put_be(to, 4, 2);
    test_put_be(to, key->payload_bytes, 4);
    test_put_be(to, 0, 4);
    test_put_be(to, test_key_bytes(key), 2);
    test_put_be(to, (uint16_t)key->cycle, 2);
    test_put_be(to, key->offset, 4);
    test_put_be(to, directory, 4);
    put_text(to, key->class_name);
    put_text(to, key->name);
    put_text(to, "");
}

/* Fields of a directory at `offset`, their list of keys not yet told. */
static void put_fields(test_bytes *to, uint32_t offset)
{
    test_put_be(to, 5, 2);
    test_put_be(to, 0, 8);
    test_put_be(to, 0, 4);
    test_put_be(to, 0, 4);
    test_put_be(to, offset, 4);
    test_put_be(to, 0, 4);
    for (int i = AT_KEYS; i < TEST_FIELDS_BYTES; i++)
        test_put_be(to, 0, 1);
}

size_t test_root_fields(void)
{
    return TEST_BEGIN + test_key_bytes(&root_key) + 3;
}

test_bytes test_begin_root(void)
{
    test_bytes file = {NULL, 0};

    test_append(&file, "root", 4);
    test_put_be(&file, 62400, 4);
    test_put_be(&file, TEST_BEGIN, 4);
    test_put_be(&file, 0, 4);          /* fEND */
    test_put_be(&file, TEST_BEGIN, 4); /* fSeekFree: closed */
    test_put_be(&file, 0, 4);
    test_put_be(&file, 1, 4);
    test_put_be(&file, test_key_bytes(&root_key) + 3, 4);
    test_put_be(&file, 4, 1);
    test_put_be(&file, 101, 4);
    while (file.n < TEST_BEGIN) /* no streamer info, no UUID */
        test_put_be(&file, 0, 1);
    test_put_key(&file, &root_key, 0);
    put_text(&file, "x");
    put_text(&file, "");
    put_fields(&file, TEST_BEGIN);
    return file;
}

size_t test_put_directory(test_bytes *file, const char *name, uint32_t parent, test_key *key)
{
    size_t fields;

    *key = (test_key){"TDirectory", name, (uint32_t)file->n, TEST_FIELDS_BYTES, 1};
    test_put_key(file, key, parent);
    fields = file->n;
    put_fields(file, key->offset);
    return fields;
}

size_t test_put_keys(test_bytes *file, size_t fields, uint32_t directory, const test_key *keys, uint32_t n)
{
    test_key list = {"TFile", "x", (uint32_t)file->n, 4, 1};

    for (uint32_t i = 0; i < n; i++)
        list.payload_bytes += test_key_bytes(&keys[i]);
    test_put_key(file, &list, directory);
    test_put_be(file, n, 4);
    for (uint32_t i = 0; i < n; i++)
        test_put_key(file, &keys[i], directory);
    test_patch_be32(file, fields + AT_KEYS_BYTES, test_key_bytes(&list) + list.payload_bytes);
    test_patch_be32(file, fields + AT_KEYS, list.offset);
    test_patch_be32(file, AT_END, (uint32_t)file->n);
    return list.offset;
}
