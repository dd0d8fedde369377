/* SPDX-License-Identifier: Apache-2.0
 * Trees as flat tables: what real files hold, and what a damaged record may not do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "root/tablefile.h"
#include "root/treeread.h"
#include "support/baretree.h"
#include "support/failing.h"
#include "support/realfiles.h"
#include "support/rootbuild.h"

static tagma_ctx *make_ctx(void)
{
    tagma_ctx *ctx;

    assert_int_equal(tagma_ctx_new(NULL, &ctx), TAGMA_OK);
    return ctx;
}

static tg_root_file *open_file(tagma_ctx *ctx, const char *path)
{
    tagma_source *source;
    tg_root_file *file;

    assert_int_equal(tagma_source_open(ctx, path, TAGMA_IO_PREAD, &source), TAGMA_OK);
    if (tg_root_file_open(ctx, source, &file) < 0)
        fail_msg("%s", tagma_ctx_message(ctx));
    tagma_source_release(source);
    return file;
}

static tg_tree *read_tree(tagma_ctx *ctx, const tg_root_file *file, uint32_t i)
{
    tg_tree *tree;

    if (tg_root_tree_read(ctx, file, i, &tree) < 0)
        fail_msg("%s", tagma_ctx_message(ctx));
    return tree;
}

static void assert_column(const tg_tree *tree, const char *name, const char *type)
{
    uint32_t c = tagma_schema_find(tree->schema, name);
    char spelled[256];

    if (c == TAGMA_NONE)
        fail_msg("%s: no column %s", tree->name, name);
    if (tagma_schema_column(tree->schema, c)->reason)
        fail_msg("%s: %s: %s", tree->name, name, tagma_schema_column(tree->schema, c)->reason);
    tagma_schema_spell(tree->schema, c, spelled, sizeof spelled);
    assert_string_equal(spelled, type);
}

/* The columns of edge.json, one a line: "NAME": {"type": "TYPE", ... */
static void finds_the_type_of_every_kind_of_branch(void **state)
{
    tagma_ctx *ctx = make_ctx();
    tg_root_file *file = open_file(ctx, "tests/data/edge/edge-zstd.root");
    tg_tree *tree = read_tree(ctx, file, 0);
    test_bytes json = test_read_file("tests/data/edge/edge.json");
    uint32_t n = 0;

    (void)state;
    test_append(&json, "", 1);
    for (const char *line = (const char *)json.bytes; line; line = strchr(line, '\n')) {
        char name[128], type[128];

        line += *line == '\n';
        if (sscanf(line, "\"%127[^\"]\": {\"type\": \"%127[^\"]\"", name, type) != 2)
            continue;
        assert_column(tree, name, type);
        n++;
    }
    assert_int_equal(n, 132);
    assert_int_equal(tree->n_entries, 12);
    assert_int_equal(tree->n_clusters, 3);
    free(json.bytes);
    tg_tree_free(tree);
    tg_root_file_free(file);
    tagma_ctx_free(ctx);
}

/* Tree, column, type and reason, a line each. */
static void finds_the_type_or_the_reason_of_odd_branches(void **state)
{
    tagma_ctx *ctx = make_ctx();
    tg_root_file *file = open_file(ctx, "tests/data/kinds/kinds.root");
    FILE *in = fopen("tests/data/kinds/kinds.tsv", "r");
    char line[512], last[64] = "";
    tg_tree *tree = NULL;
    uint32_t n = 0, t = 0;

    (void)state;
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        char *at = line, *name = strsep(&at, "\t"), *column = strsep(&at, "\t"), *type = strsep(&at, "\t"),
             spelled[256];
        const char *reason = strsep(&at, "\t\n");
        const tagma_column *found;
        uint32_t c;

        if (strcmp(name, last) != 0) {
            tg_tree_free(tree);
            tree = read_tree(ctx, file, t++);
            snprintf(last, sizeof last, "%s", name);
        }
        c = tagma_schema_find(tree->schema, column);
        if (c == TAGMA_NONE)
            fail_msg("no column %s", column);
        found = tagma_schema_column(tree->schema, c);
        tagma_schema_spell(tree->schema, c, spelled, sizeof spelled);
        assert_string_equal(spelled, type);
        assert_string_equal(found->reason ? found->reason : "", reason);
        n++;
    }
    fclose(in);
    assert_int_equal(n, 157);
    assert_int_equal(t, 4);
    tg_tree_free(tree);
    tree = read_tree(ctx, file, 0);
    assert_int_equal(tree->n_friends, 1);
    assert_string_equal(tree->friends[0].name, "ft");
    assert_string_equal(tree->friends[0].file, "kinds_friend.root");
    tg_tree_free(tree);
    tg_root_file_free(file);
    tagma_ctx_free(ctx);
}

static void names_what_it_cannot_read(void **state)
{
    static const char *const rows[][2] = {{"whole", "object of class edge::Leaf in one branch is not read"},
                                          {"hits_whole", "vector<edge::Hit> is not read"},
                                          {"things_whole", "object of class TClonesArray is not read"}};
    tagma_ctx *ctx = make_ctx();
    tg_root_file *file = open_file(ctx, "tests/data/edge/edge-zstd.root");
    tg_tree *tree = read_tree(ctx, file, 0);
    uint32_t n = 0;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t c = tagma_schema_find(tree->schema, rows[i][0]);
        assert_string_equal(tagma_schema_column(tree->schema, c)->reason, rows[i][1]);
        assert_int_equal(tagma_schema_column(tree->schema, c)->type, TAGMA_UNKNOWN);
    }
    for (uint32_t c = 0; c < tagma_schema_n_columns(tree->schema); c++)
        n += tagma_schema_column(tree->schema, c)->reason != NULL;
    assert_int_equal(n, 3);
    tg_tree_free(tree);
    tg_root_file_free(file);
    tagma_ctx_free(ctx);
}

/* Columns that share a name take their path: both objects have a member fRoot. */
static void gives_shared_names_their_paths(void **state)
{
    tagma_ctx *ctx = make_ctx();
    tg_root_file *file = open_file(ctx, "tests/data/edge/edge-zstd.root");
    tg_tree *tree = read_tree(ctx, file, 0);

    (void)state;
    assert_column(tree, "plain.fI", "i32");
    assert_column(tree, "leaf.fI", "i32");
    assert_column(tree, "fCounted", "f32[fN]");
    assert_column(tree, "leaf.fCounted", "f32[leaf.fN]");
    tg_tree_free(tree);
    tg_root_file_free(file);
    tagma_ctx_free(ctx);
}

/* What every tree must keep to, whatever file it comes from. */
static void assert_sound(const tg_tree *tree)
{
    for (uint32_t b = 0; b < tree->n_branches; b++) {
        const tg_branch *branch = &tree->branches[b];
        uint64_t next = branch->first_entry;

        assert_true(branch->parent == TAGMA_NONE || branch->parent < b);
        for (uint64_t i = 0; i < branch->n_baskets; i++) {
            const tg_basket *basket = &tree->baskets[branch->first_basket + i];

            assert_true(basket->first_entry == next && basket->n_entries > 0);
            next += basket->n_entries;
            if (basket->offset & TG_BASKET_EMBEDDED)
                assert_true(
                    tg_inside(basket->offset & ~TG_BASKET_EMBEDDED, basket->bytes, tree->record_unpacked));
        }
        assert_true(branch->n_baskets == 0 || next == branch->end_entry);
    }
    for (uint64_t i = 0; i < tree->n_clusters; i++)
        assert_true(tree->clusters[i] < tree->clusters[i + 1]);
    assert_true(tree->clusters[0] == 0 && tree->clusters[tree->n_clusters] == tree->n_entries);
    for (uint32_t c = 0; c < tagma_schema_n_columns(tree->schema); c++) {
        const tagma_column *column = tagma_schema_column(tree->schema, c);
        const tg_layout *layout = &tree->layouts[c];

        assert_true(layout->branch < tree->n_branches);
        if (column->reason)
            continue;
        assert_true(column->type < TAGMA_UNKNOWN);
        assert_true((column->n_lists > 0 && layout->counts[0] == TG_COUNT_SHARED) ==
                    (layout->count_column != TAGMA_NONE));
        assert_true((column->collection == TAGMA_NONE) == (column->n_lists == 0));
    }
}

static void reads_every_real_tree(void **state)
{
    char **paths = test_root_files();

    (void)state;
    for (size_t i = 0; paths[i]; i++) {
        tagma_ctx *ctx = make_ctx();
        tagma_source *source;
        tg_root_file *file;

        assert_int_equal(tagma_source_open(ctx, paths[i], TAGMA_IO_PREAD, &source), TAGMA_OK);
        if (tg_root_file_open(ctx, source, &file) == TAGMA_OK) {
            for (uint32_t t = 0; t < file->n_trees; t++) {
                tagma_tree_info info = {.struct_bytes = sizeof info};
                tg_tree *tree = read_tree(ctx, file, t);

                assert_sound(tree);
                assert_int_equal(tg_root_file_tree(ctx, file, t, &info), TAGMA_OK);
                assert_null(info.error);
                assert_int_equal(info.n_entries, tree->n_entries);
                assert_string_equal(info.name, tree->name);
                tg_tree_free(tree);
            }
            tg_root_file_free(file);
        }
        tagma_source_release(source);
        assert_int_equal(tagma_ctx_memory(ctx), 0);
        tagma_ctx_free(ctx);
    }
    test_paths_free(paths);
}

/* Type letters of the independent reader: "F", "Iu", "O[n]", "F[8]". */
static bool letter_agrees(const char *letters, const tagma_column *column)
{
    static const struct {
        const char *letters;
        tagma_type type;
    } rows[] = {{"O", TAGMA_BOOL}, {"B", TAGMA_I8},  {"Bu", TAGMA_U8},  {"S", TAGMA_I16},
                {"Su", TAGMA_U16}, {"I", TAGMA_I32}, {"Iu", TAGMA_U32}, {"L", TAGMA_I64},
                {"Lu", TAGMA_U64}, {"F", TAGMA_F32}, {"D", TAGMA_F64},  {"C", TAGMA_STRING}};
    size_t n = strcspn(letters, "[");

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strlen(rows[i].letters) == n && strncmp(letters, rows[i].letters, n) == 0)
            return column->type == rows[i].type;
    return true;
}

typedef struct oracle_row {
    char *file, *tree, *branch, *type, *entries;
} oracle_row;

static bool next_row(FILE *in, char *line, size_t line_bytes, oracle_row *row)
{
    char **fields[] = {&row->file, &row->tree, &row->branch, &row->type, &row->entries};
    char *at = line;

    if (!fgets(line, (int)line_bytes, in))
        return false;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        *fields[i] = strsep(&at, "\t\n");
        if (!*fields[i])
            return false;
    }
    return true;
}

static tg_tree *tree_named(tagma_ctx *ctx, const tg_root_file *file, const char *name)
{
    for (uint32_t t = 0; t < file->n_trees; t++) {
        char full[512];

        snprintf(full, sizeof full, "%s;%u", file->trees[t].path, file->entries[file->trees[t].entry].cycle);
        if (strcmp(full, name) == 0)
            return read_tree(ctx, file, t);
    }
    return NULL;
}

/* A branch of the oracle by the longest end of its path that is a column. */
static const tagma_column *column_of(const tg_tree *tree, const char *path)
{
    for (const char *name = path; name; name = strchr(name, '/')) {
        uint32_t c;

        name += *name == '/';
        c = tagma_schema_find(tree->schema, name);
        if (c != TAGMA_NONE)
            return tagma_schema_column(tree->schema, c);
    }
    return NULL;
}

/* Each plain branch that an independent reader found is a readable column of the same type, and each split one is listed. */
static void lists_what_an_independent_reader_found(void **state)
{
    static char line[65536];
    tagma_ctx *ctx;
    char path[1200], last_file[256] = "", last_tree[512] = "";
    tg_root_file *file = NULL;
    tg_tree *tree = NULL;
    oracle_row row;
    FILE *in;
    uint32_t n = 0;

    (void)state;
    if (!test_collection())
        skip();
    ctx = make_ctx();
    snprintf(path, sizeof path, "%s/oracle/ORACLE.tsv", test_collection());
    in = fopen(path, "r");
    assert_non_null(in);
    assert_true(next_row(in, line, sizeof line, &row));
    while (next_row(in, line, sizeof line, &row)) {
        const tagma_column *column;

        if (strcmp(row.file, last_file) != 0) {
            tg_tree_free(tree);
            tree = NULL;
            tg_root_file_free(file);
            snprintf(path, sizeof path, "%s/%s", test_collection(), row.file);
            snprintf(last_file, sizeof last_file, "%s", row.file);
            last_tree[0] = 0;
            file = open_file(ctx, path);
        }
        if (strcmp(row.tree, last_tree) != 0) {
            tg_tree_free(tree);
            snprintf(last_tree, sizeof last_tree, "%s", row.tree);
            tree = tree_named(ctx, file, row.tree);
        }
        if (!tree || row.entries[0] == 0)
            continue;
        column = column_of(tree, row.branch);
        if (!column) {
            /* A leaf list is one row there, and a node without data one too. */
            continue;
        }
        n++;
        if (!letter_agrees(row.type, column) || (strlen(row.type) < 3 && column->reason))
            fail_msg("%s %s %s: %s, but %s %s", row.file, row.tree, row.branch, row.type,
                     tagma_type_name(column->type), column->reason ? column->reason : "");
    }
    fclose(in);
    tg_tree_free(tree);
    tg_root_file_free(file);
    tagma_ctx_free(ctx);
    assert_true(n > 14000);
}

/* Open the file and read its first tree: sound, or refused with words; nothing stays behind. The number of columns that can be
 * read; -1 where the tree is refused. */
static int64_t try_bytes(tagma_ctx *ctx, const uint8_t *bytes, size_t n)
{
    uint64_t before = tagma_ctx_memory(ctx);
    tagma_source *source;
    tg_root_file *file;
    tg_tree *tree = NULL;
    int64_t readable = -1;
    tagma_status st;

    assert_int_equal(tagma_source_memory(ctx, bytes, n, "x.root", &source), TAGMA_OK);
    st = tg_root_file_open(ctx, source, &file);
    if (st == TAGMA_OK) {
        if (file->n_trees > 0)
            st = tg_root_tree_read(ctx, file, 0, &tree);
        tg_root_file_free(file);
    }
    assert_true(st <= 0 && st != TAGMA_E_ARG && st != TAGMA_E_RANGE && st != TAGMA_E_MEMORY);
    if (st < 0) {
        assert_null(tree);
        assert_non_null(strstr(tagma_ctx_message(ctx), "x.root"));
    }
    if (tree) {
        assert_sound(tree);
        readable = 0;
        for (uint32_t c = 0; c < tagma_schema_n_columns(tree->schema); c++)
            readable += tagma_schema_column(tree->schema, c)->reason == NULL;
    }
    tg_tree_free(tree);
    tagma_source_release(source);
    assert_int_equal(tagma_ctx_memory(ctx), before);
    return readable;
}

/* Leaves of one branch are read together: one that cannot be takes the others with it, and what they count. */
static void refuses_all_leaves_of_a_branch_for_one(void **state)
{
    static const uint8_t leaf[] = {1, 'm', 4, 'm', '[', '2', ']'};
    static const char *const names[] = {"point.y", "point.x", "point.n", "point.m", "point.ok"};
    test_bared bared = test_bare_tree("tests/data/edge/edge-zstd.root");
    tagma_ctx *ctx = make_ctx();
    tagma_source *source;
    tg_root_file *file;
    tg_tree *tree, *loaded;
    tg_buf saved = TG_BUF_INIT;

    (void)state;
    test_patch_be32(&bared.bytes, bared.payload + test_find(&bared, leaf, sizeof leaf) + sizeof leaf,
                    INT32_MAX);
    assert_int_equal(tagma_source_memory(ctx, bared.bytes.bytes, bared.bytes.n, "x.root", &source), TAGMA_OK);
    assert_int_equal(tg_root_file_open(ctx, source, &file), TAGMA_OK);
    tree = read_tree(ctx, file, 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const tagma_column *column =
            tagma_schema_column(tree->schema, tagma_schema_find(tree->schema, names[i]));

        assert_non_null(column->reason);
        assert_non_null(strstr(column->reason, "it claims 2147483647 values an entry"));
    }
    assert_column(tree, "s_f32", "f32");
    assert_int_equal(tg_tree_save(ctx, tree, &saved), TAGMA_OK);
    assert_int_equal(tg_tree_load(ctx, saved.bytes, saved.n, &loaded), TAGMA_OK);
    tg_tree_free(loaded);
    tg_buf_free(ctx, &saved);
    tg_tree_free(tree);
    tg_root_file_free(file);
    tagma_source_release(source);
    tagma_ctx_free(ctx);
    free(bared.bytes.bytes);
}

/* Four bytes at each place of the record, set to what a count, length or offset can go wrong by. */
static void holds_out_against_any_number_in_a_tree(void **state)
{
    static const uint32_t values[] = {0, UINT32_MAX, INT32_MAX, (uint32_t)INT32_MIN};
    static const char *const paths[] = {"tests/data/edge/killed-saveself.root",
                                        "tests/data/edge/edge-zstd.root"};
    static const size_t steps[] = {1, 401};
    tagma_limits limits = TAGMA_LIMITS_INIT;

    (void)state;
    /* Memory stays in proportion to the file: this is never passed. */
    limits.max_memory = 8 << 20;
    for (size_t p = 0; p < sizeof paths / sizeof paths[0]; p++) {
        test_bared file = test_bare_tree(paths[p]);
        test_failing none = {.fails = 0};
        tagma_ctx *ctx = test_failing_ctx(&none, &limits);

        assert_true(try_bytes(ctx, file.bytes.bytes, file.bytes.n) > 0);
        for (size_t at = 0; at + 4 <= file.n; at += steps[p])
            for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
                uint8_t kept[4], *there = file.bytes.bytes + file.payload + at;

                memcpy(kept, there, 4);
                test_patch_be32(&file.bytes, file.payload + at, values[v]);
                try_bytes(ctx, file.bytes.bytes, file.bytes.n);
                memcpy(there, kept, 4);
            }
        tagma_ctx_free(ctx);
        free(file.bytes.bytes);
    }
}

/* Header, directory and keys of a small file. */
static void holds_out_against_any_number_around_a_tree(void **state)
{
    static const uint32_t values[] = {0, UINT32_MAX, INT32_MAX, (uint32_t)INT32_MIN};
    test_bytes file = test_read_file("tests/data/edge/cycles.root");
    tagma_ctx *ctx = make_ctx();
    const size_t ends[] = {0, 400, file.n - 1800, file.n};

    (void)state;
    for (size_t part = 0; part < 4; part += 2)
        for (size_t at = ends[part]; at + 4 <= ends[part + 1]; at++)
            /* One value a place: all four together take minutes, and have been run. */
            for (size_t v = at % 4; v < sizeof values / sizeof values[0]; v += 4) {
                uint8_t kept[4];

                memcpy(kept, file.bytes + at, 4);
                test_patch_be32(&file, at, values[v]);
                try_bytes(ctx, file.bytes, file.n);
                memcpy(file.bytes + at, kept, 4);
            }
    tagma_ctx_free(ctx);
    free(file.bytes);
}

static void holds_out_against_files_cut_anywhere(void **state)
{
    test_bytes file = test_read_file("tests/data/edge/killed-saveself.root");
    tagma_ctx *ctx = make_ctx();

    (void)state;
    for (size_t n = 0; n < file.n; n += n < 800 ? 1 : 211)
        try_bytes(ctx, file.bytes, n);
    tagma_ctx_free(ctx);
    free(file.bytes);
}

static void survives_the_nth_allocation_failing(void **state)
{
    tagma_status st = TAGMA_E_MEMORY;

    (void)state;
    for (uint64_t n = 1; st != TAGMA_OK; n++) {
        test_failing failing = {.fails = n};
        tagma_ctx *ctx = test_failing_ctx(&failing, NULL);
        tagma_source *source;
        tg_root_file *file;
        tg_tree *tree = NULL;

        st = tagma_source_open(ctx, "tests/data/edge/edge-zstd.root", TAGMA_IO_PREAD, &source);
        if (st == TAGMA_OK) {
            st = tg_root_file_open(ctx, source, &file);
            if (st == TAGMA_OK) {
                st = tg_root_tree_read(ctx, file, 0, &tree);
                tg_root_file_free(file);
            }
            tagma_source_release(source);
        }
        assert_true(st == TAGMA_OK || st == TAGMA_E_MEMORY);
        assert_true((st == TAGMA_OK) == (tree != NULL));
        tg_tree_free(tree);
        assert_int_equal(tagma_ctx_memory(ctx), 0);
        tagma_ctx_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_type_of_every_kind_of_branch),
        cmocka_unit_test(finds_the_type_or_the_reason_of_odd_branches),
        cmocka_unit_test(names_what_it_cannot_read),
        cmocka_unit_test(gives_shared_names_their_paths),
        cmocka_unit_test(reads_every_real_tree),
        cmocka_unit_test(lists_what_an_independent_reader_found),
        cmocka_unit_test(refuses_all_leaves_of_a_branch_for_one),
        cmocka_unit_test(holds_out_against_any_number_in_a_tree),
        cmocka_unit_test(holds_out_against_any_number_around_a_tree),
        cmocka_unit_test(holds_out_against_files_cut_anywhere),
        cmocka_unit_test(survives_the_nth_allocation_failing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
