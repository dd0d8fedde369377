/* SPDX-License-Identifier: Apache-2.0
 * The wall: unpack every basket of a ROOT file with the plain codec libraries, and swap bytes, with nothing known of trees. */
#include <byteswap.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <lz4.h>
#include <lzma.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

typedef struct totals {
    uint64_t baskets, packed_bytes, unpacked_bytes, check;
} totals;

static void die(const char *why)
{
    fprintf(stderr, "ceiling: %s\n", why);
    exit(2);
}

static uint64_t be(const uint8_t *p, int n)
{
    uint64_t value = 0;
    while (n-- > 0)
        value = value << 8 | *p++;
    return value;
}

static uint32_t le24(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
}

static void unpack(const uint8_t *frame, uint32_t packed, uint8_t *dst, uint32_t unpacked)
{
    static struct libdeflate_decompressor *zlib;
    static ZSTD_DCtx *zstd;
    const uint8_t *src = frame + 9;
    size_t in = 0, out = 0;
    uint64_t limit = UINT64_MAX;
    int ok = 0;

    if (memcmp(frame, "ZL", 2) == 0) {
        if (!zlib)
            zlib = libdeflate_alloc_decompressor();
        ok = libdeflate_zlib_decompress(zlib, src, packed, dst, unpacked, NULL) == LIBDEFLATE_SUCCESS;
    } else if (memcmp(frame, "XZ", 2) == 0) {
        ok = lzma_stream_buffer_decode(&limit, 0, NULL, src, &in, packed, dst, &out, unpacked) == LZMA_OK;
    } else if (memcmp(frame, "L4", 2) == 0) { /* 8 bytes of checksum first */
        ok = LZ4_decompress_safe((const char *)src + 8, (char *)dst, (int)packed - 8, (int)unpacked) >= 0;
    } else if (memcmp(frame, "ZS", 2) == 0) {
        if (!zstd)
            zstd = ZSTD_createDCtx();
        ok = ZSTD_decompressDCtx(zstd, dst, unpacked, src, packed) == unpacked;
    }
    if (!ok)
        die("a frame does not unpack");
}

/** As a reader's byte order kernel would: four bytes at a time, whatever the type. */
static uint64_t swap(uint8_t *bytes, size_t n)
{
    uint32_t word = 0;
    for (size_t i = 0; i + 4 <= n; i += 4) {
        memcpy(&word, bytes + i, 4);
        word = bswap_32(word);
        memcpy(bytes + i, &word, 4);
    }
    return word;
}

static void basket(const uint8_t *payload, uint32_t packed, uint32_t unpacked, totals *t)
{
    static uint8_t *buffer;
    static size_t capacity;
    uint32_t done = 0;

    if (unpacked > capacity) {
        capacity = unpacked;
        buffer = realloc(buffer, capacity);
        if (!buffer)
            die("no memory");
    }
    if (packed == unpacked) {
        memcpy(buffer, payload, packed);
    } else {
        for (uint32_t at = 0; at < packed;) {
            uint32_t in = le24(payload + at + 3), out = le24(payload + at + 6);
            unpack(payload + at, in, buffer + done, out);
            done += out;
            at += 9 + in;
        }
    }
    t->check += swap(buffer, unpacked);
    t->baskets++;
    t->packed_bytes += packed;
    t->unpacked_bytes += unpacked;
}

/** Every record of the file in turn; gaps are negative. */
static void walk(const uint8_t *file, uint64_t size, totals *t)
{
    uint64_t at = be(file + 8, 4), end = be(file + 4, 4) >= 1000000 ? be(file + 12, 8) : be(file + 12, 4);

    if (end > size)
        die("the file was not closed");
    while (at + 26 < end) {
        int32_t n_bytes = (int32_t)(uint32_t)be(file + at, 4);
        const uint8_t *key = file + at;
        if (n_bytes < 0) {
            at += (uint64_t) - (int64_t)n_bytes;
            continue;
        }
        if (n_bytes == 0)
            die("an empty record");
        uint32_t version = (uint32_t)be(key + 4, 2), unpacked = (uint32_t)be(key + 6, 4);
        uint32_t key_bytes = (uint32_t)be(key + 14, 2);
        const uint8_t *class_name = key + (version > 1000 ? 34 : 26);
        if (class_name[0] == 7 && memcmp(class_name + 1, "TBasket", 7) == 0)
            basket(key + key_bytes, (uint32_t)n_bytes - key_bytes, unpacked, t);
        at += (uint64_t)n_bytes;
    }
}

int main(int argc, char **argv)
{
    struct timespec start, stop;
    struct stat status;
    totals t = {0, 0, 0, 0};
    int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;

    if (fd < 0 || fstat(fd, &status) != 0)
        die("usage: ceiling FILE");
    const uint8_t *file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    if (file == MAP_FAILED)
        die("cannot map the file");
    clock_gettime(CLOCK_MONOTONIC, &start);
    walk(file, (uint64_t)status.st_size, &t);
    clock_gettime(CLOCK_MONOTONIC, &stop);
    printf("{\"peer\": \"ceiling\", \"file\": \"%s\", \"seconds\": %.9g, \"baskets\": %llu, \"bytes\": %llu, "
           "\"unpacked_bytes\": %llu, \"check\": %llu}\n",
           argv[1], (double)(stop.tv_sec - start.tv_sec) + 1e-9 * (double)(stop.tv_nsec - start.tv_nsec),
           (unsigned long long)t.baskets, (unsigned long long)t.packed_bytes,
           (unsigned long long)t.unpacked_bytes, (unsigned long long)t.check);
    return 0;
}
