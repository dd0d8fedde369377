/* SPDX-License-Identifier: Apache-2.0
 * Local files, read and mapped: what the operating system may answer, and files that change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "source/source.h"
#include "support/scratch.h"

/* What the next calls of pread answer; the program's own pread stands before the C library's. */
static struct {
    int n_interrupted; /* EINTR so many times */
    size_t n_most;     /* never more bytes than this; 0: as many as asked */
    int code;          /* fail with this */
} trouble;

ssize_t pread(int fd, void *buf, size_t nbytes, off_t offset)
{
    if (trouble.n_interrupted > 0) {
        trouble.n_interrupted--;
        errno = EINTR;
        return -1;
    }
    if (trouble.code) {
        errno = trouble.code;
        return -1;
    }
    if (trouble.n_most > 0 && nbytes > trouble.n_most)
        nbytes = trouble.n_most;
    return syscall(SYS_pread64, fd, buf, nbytes, offset);
}

typedef struct bench {
    tagma_ctx *ctx;
    test_scratch scratch;
    char path[512];
    tagma_source *source;
    tg_lane *lane;
} bench;

static const tagma_io both[] = {TAGMA_IO_PREAD, TAGMA_IO_MMAP};

static int set_up(void **state)
{
    bench *b = calloc(1, sizeof *b);

    memset(&trouble, 0, sizeof trouble);
    *state = b;
    if (!b || tagma_ctx_new(NULL, &b->ctx) != TAGMA_OK)
        return -1;
    test_scratch_make(&b->scratch);
    return 0;
}

static int tear_down(void **state)
{
    bench *b = *state;

    assert_int_equal(tagma_ctx_memory(b->ctx), 0);
    tagma_ctx_free(b->ctx);
    test_scratch_remove(&b->scratch);
    free(b);
    return 0;
}

/* A file of 10,000 bytes "0123456789...". */
static void write_digits(bench *b, const char *name)
{
    char bytes[10000];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)('0' + i % 10);
    test_scratch_write(&b->scratch, name, bytes, sizeof bytes);
}

static void begin(bench *b, tagma_io io)
{
    write_digits(b, "x.root");
    strcpy(b->path, b->scratch.path);
    assert_int_equal(tagma_source_open(b->ctx, b->path, io, &b->source), TAGMA_OK);
    assert_int_equal(tg_lane_new(b->ctx, b->source, &b->lane), TAGMA_OK);
}

static void end(bench *b)
{
    tg_lane_free(b->lane);
    tagma_source_release(b->source);
}

static void assert_message(const bench *b, const char *path, const char *words)
{
    char wanted[1024];

    snprintf(wanted, sizeof wanted, "%s%s", path, words);
    assert_string_equal(tagma_ctx_message(b->ctx), wanted);
}

static void assert_changed(const bench *b, tagma_status st)
{
    assert_int_equal(st, TAGMA_E_CHANGED);
    assert_message(b, b->path, " changed while it was read; results discarded");
}

static void goes_on_after_interrupts_and_short_reads(void **state)
{
    bench *b = *state;
    char dst[1000];

    begin(b, TAGMA_IO_PREAD);
    trouble.n_interrupted = 3;
    trouble.n_most = 7;
    assert_int_equal(tg_lane_read(b->ctx, b->lane, 5, sizeof dst, dst), TAGMA_OK);
    for (size_t i = 0; i < sizeof dst; i++)
        assert_int_equal(dst[i], '0' + (i + 5) % 10);
    assert_int_equal(tg_lane_stats(b->lane)->requests, 1);
    end(b);
}

static void tells_what_the_system_says_of_a_failed_read(void **state)
{
    bench *b = *state;
    char dst[10];

    begin(b, TAGMA_IO_PREAD);
    trouble.code = EIO;
    assert_int_equal(tg_lane_read(b->ctx, b->lane, 5, sizeof dst, dst), TAGMA_E_IO);
    assert_message(b, b->path, ": 10 bytes at byte 5 cannot be read: Input/output error");
    end(b);
}

static void refuses_what_is_no_regular_file(void **state)
{
    bench *b = *state;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    tagma_source *source;
    int fd;

    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(tagma_source_open(b->ctx, b->scratch.dir, both[i], &source), TAGMA_E_IO);
        assert_message(b, b->scratch.dir, " is a directory; a regular file is needed");
        assert_null(source);
        assert_int_equal(tagma_source_open(b->ctx, "/dev/null", both[i], &source), TAGMA_E_IO);
        assert_message(b, "/dev/null", " is a device; a regular file is needed");
        assert_int_equal(
            tagma_source_open(b->ctx, test_scratch_path(&b->scratch, "absent"), both[i], &source),
            TAGMA_E_IO);
        assert_message(b, b->scratch.path, ": cannot be opened: No such file or directory");
    }
    /* Nobody writes into it: opening must not wait. */
    assert_int_equal(mkfifo(test_scratch_path(&b->scratch, "pipe"), 0600), 0);
    assert_int_equal(tagma_source_open(b->ctx, b->scratch.path, TAGMA_IO_PREAD, &source), TAGMA_E_IO);
    assert_message(b, b->scratch.path, " is a pipe; a regular file is needed");
    strncpy(address.sun_path, test_scratch_path(&b->scratch, "socket"), sizeof address.sun_path - 1);
    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(tagma_source_open(b->ctx, b->scratch.path, TAGMA_IO_PREAD, &source), TAGMA_E_IO);
    assert_message(b, b->scratch.path, ": cannot be opened: No such device or address");
    close(fd);
    assert_int_equal(tagma_source_open(b->ctx, "x", (tagma_io)9, &source), TAGMA_E_ARG);
    assert_null(source);
}

static void reads_an_empty_file(void **state)
{
    bench *b = *state;
    const uint8_t *view;

    test_scratch_write(&b->scratch, "empty", "", 0);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(tagma_source_open(b->ctx, b->scratch.path, both[i], &b->source), TAGMA_OK);
        assert_int_equal(tg_lane_new(b->ctx, b->source, &b->lane), TAGMA_OK);
        assert_int_equal(tagma_source_size(b->source), 0);
        assert_int_equal(tg_lane_view(b->ctx, b->lane, 0, 0, &view), TAGMA_OK);
        assert_int_equal(tg_lane_view(b->ctx, b->lane, 0, 1, &view), TAGMA_E_TRUNCATED);
        end(b);
    }
}

static void reads_beyond_4_gib(void **state)
{
    static const uint64_t far = 5ULL << 30;
    bench *b = *state;
    int fd = open(test_scratch_path(&b->scratch, "sparse"), O_CREAT | O_WRONLY, 0600);
    char dst[4];
    const uint8_t *view;

    assert_int_equal(pwrite(fd, "far!", 4, (off_t)far), 4);
    close(fd);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(tagma_source_open(b->ctx, b->scratch.path, both[i], &b->source), TAGMA_OK);
        assert_int_equal(tg_lane_new(b->ctx, b->source, &b->lane), TAGMA_OK);
        assert_int_equal(tagma_source_size(b->source), far + 4);
        assert_int_equal(tg_lane_read(b->ctx, b->lane, far, 4, dst), TAGMA_OK);
        assert_memory_equal(dst, "far!", 4);
        assert_int_equal(tg_lane_view(b->ctx, b->lane, far, 4, &view), TAGMA_OK);
        assert_memory_equal(view, "far!", 4);
        end(b);
    }
}

/* A copy by pread and a view of a map both notice; neither is killed. */
static void notices_a_file_that_shrinks(void **state)
{
    bench *b = *state;
    char dst[10];
    const uint8_t *view;

    for (size_t i = 0; i < 2; i++) {
        begin(b, both[i]);
        assert_int_equal(tg_source_check(b->ctx, b->source), TAGMA_OK);
        assert_int_equal(truncate(b->path, 100), 0);
        assert_changed(b, tg_lane_read(b->ctx, b->lane, 9000, sizeof dst, dst));
        assert_changed(b, tg_lane_read(b->ctx, b->lane, 95, sizeof dst, dst));
        assert_changed(b, tg_lane_view(b->ctx, b->lane, 9000, sizeof dst, &view));
        assert_null(view);
        assert_changed(b, tg_source_check(b->ctx, b->source));
        end(b);
    }
}

static void notices_a_file_that_grows(void **state)
{
    bench *b = *state;

    begin(b, TAGMA_IO_PREAD);
    assert_int_equal(truncate(b->path, 20000), 0);
    assert_changed(b, tg_source_check(b->ctx, b->source));
    end(b);
}

static void notices_a_file_written_in_place(void **state)
{
    struct timespec times[2] = {{0, UTIME_OMIT}, {1700000000, 123456789}};
    bench *b = *state;

    begin(b, TAGMA_IO_PREAD);
    assert_true(tg_source_mtime_ns(b->source) > 1600000000000000000U);
    assert_int_equal(utimensat(AT_FDCWD, b->path, times, 0), 0);
    assert_changed(b, tg_source_check(b->ctx, b->source));
    end(b);
    assert_int_equal(tagma_source_open(b->ctx, b->path, TAGMA_IO_PREAD, &b->source), TAGMA_OK);
    assert_int_equal(tg_source_mtime_ns(b->source), 1700000000123456789U);
    tagma_source_release(b->source);
}

/* Another file of the same bytes and time in its place: only the inode tells. */
static void notices_a_file_replaced(void **state)
{
    bench *b = *state;
    struct stat info;
    char other[600];

    begin(b, TAGMA_IO_PREAD);
    assert_int_equal(stat(b->path, &info), 0);
    write_digits(b, "new");
    snprintf(other, sizeof other, "%s", b->scratch.path);
    assert_int_equal(utimensat(AT_FDCWD, other, (struct timespec[2]){info.st_atim, info.st_mtim}, 0), 0);
    assert_int_equal(rename(other, b->path), 0);
    assert_changed(b, tg_source_check(b->ctx, b->source));
    end(b);
}

static void notices_a_file_removed(void **state)
{
    bench *b = *state;

    begin(b, TAGMA_IO_MMAP);
    unlink(b->path);
    assert_changed(b, tg_source_check(b->ctx, b->source));
    end(b);
}

/* A host may change its directory while it reads; a relative path then leads nowhere, and nothing has changed. */
static void does_not_mind_a_change_of_directory(void **state)
{
    bench *b = *state;
    char here[512];

    assert_non_null(getcwd(here, sizeof here));
    begin(b, TAGMA_IO_PREAD);
    end(b);
    assert_int_equal(chdir(b->scratch.dir), 0);
    assert_int_equal(tagma_source_open(b->ctx, "x.root", TAGMA_IO_PREAD, &b->source), TAGMA_OK);
    assert_int_equal(tg_source_check(b->ctx, b->source), TAGMA_OK);
    assert_int_equal(chdir(here), 0);
    assert_int_equal(tg_source_check(b->ctx, b->source), TAGMA_OK);
    tagma_source_release(b->source);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(goes_on_after_interrupts_and_short_reads),
        TEST(tells_what_the_system_says_of_a_failed_read),
        TEST(refuses_what_is_no_regular_file),
        TEST(reads_an_empty_file),
        TEST(reads_beyond_4_gib),
        TEST(notices_a_file_that_shrinks),
        TEST(notices_a_file_that_grows),
        TEST(notices_a_file_written_in_place),
        TEST(notices_a_file_replaced),
        TEST(notices_a_file_removed),
        TEST(does_not_mind_a_change_of_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
