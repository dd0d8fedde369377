/* SPDX-License-Identifier: Apache-2.0
 * One event by its id: open a tree, index it, find the id, read the whole event, print what it holds.
 *   one_event FILE RUN LUMI EVENT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <tagma/tagma.h>

static void print_number(tagma_type type, const void *values, uint64_t i)
{
    switch (type) {
    case TAGMA_F32:
        printf(" %.9g", (double)((const float *)values)[i]);
        break;
    case TAGMA_F64:
        printf(" %.17g", ((const double *)values)[i]);
        break;
    case TAGMA_I32:
        printf(" %" PRId32, ((const int32_t *)values)[i]);
        break;
    case TAGMA_U32:
        printf(" %" PRIu32, ((const uint32_t *)values)[i]);
        break;
    case TAGMA_U64:
        printf(" %" PRIu64, ((const uint64_t *)values)[i]);
        break;
    default:
        printf(" (%s)", tagma_type_name(type));
    }
}

/* The columns whose values are few enough for a line. */
static tagma_status print_event(const tagma_schema *schema, const tagma_record_plan *plan, const void *record)
{
    enum { MOST = 4 };

    for (uint32_t i = 0, c = 0; c < tagma_schema_n_columns(schema); c++) {
        const tagma_column *column = tagma_schema_column(schema, c);
        tagma_record_value value;
        tagma_status st;

        if (column->reason)
            continue;
        st = tagma_record_column(plan, record, i++, &value);
        if (st < 0)
            return st;
        if (column->type == TAGMA_STRING || value.n_values == 0 || value.n_values > MOST)
            continue;
        printf("%s", column->name);
        for (uint64_t k = 0; k < value.n_values; k++)
            print_number(column->type, value.values, k);
        printf("\n");
    }
    return TAGMA_OK;
}

/* Read entry `entry` into a record that is as long as it needs to be. */
static tagma_status read_whole(tagma_ctx *ctx, tagma_reader *reader, const tagma_record_plan *plan,
                               uint64_t entry, void **record)
{
    size_t bytes = tagma_record_plan_fixed_bytes(plan), needed;
    tagma_status st;

    *record = NULL;
    do {
        free(*record);
        *record = malloc(bytes);
        if (!*record)
            return TAGMA_E_MEMORY;
        st = tagma_read_event(ctx, reader, plan, entry, *record, bytes, &needed);
        bytes = needed;
    } while (st == TAGMA_E_LIMIT && needed > 0);
    return st;
}

static tagma_status run(tagma_ctx *ctx, const char *path, const uint64_t *id, int n_id)
{
    tagma_events *events = NULL;
    tagma_reader *reader = NULL;
    tagma_index *index = NULL;
    tagma_record_plan *plan = NULL;
    tagma_index_info info = {.struct_bytes = sizeof info};
    void *record = NULL;
    uint64_t entry;
    size_t n = 0;
    tagma_status st = tagma_open(ctx, path, NULL, &events);

    if (st == TAGMA_OK)
        st = tagma_reader_new(ctx, events, NULL, &reader);
    if (st == TAGMA_OK)
        st = tagma_events_build_index(ctx, reader, &index);
    if (st == TAGMA_OK) {
        tagma_index_get_info(index, &info);
        if (info.n_axes == (uint32_t)n_id) {
            st = tagma_index_find(index, id, &entry, 1, &n);
        } else {
            fprintf(stderr, "the tree has %" PRIu32 " id columns, %d numbers were given\n", info.n_axes,
                    n_id);
            st = TAGMA_E_ARG;
        }
    }
    if (st == TAGMA_OK)
        st = tagma_record_plan_new(ctx, tagma_events_schema(events), NULL, 0, &plan);
    if (st == TAGMA_OK)
        st = read_whole(ctx, reader, plan, entry, &record);
    if (st == TAGMA_OK) {
        printf("entry %" PRIu64 ", %zu with this id\n", entry, n);
        st = print_event(tagma_events_schema(events), plan, record);
    }
    free(record);
    tagma_record_plan_free(plan);
    tagma_index_release(index);
    tagma_reader_free(reader);
    tagma_events_release(events);
    return st;
}

int main(int argc, char **argv)
{
    uint64_t id[TAGMA_MAX_ID_AXES];
    tagma_ctx *ctx;
    tagma_status st;

    if (argc < 3 || argc > 2 + TAGMA_MAX_ID_AXES) {
        fprintf(stderr, "usage: one_event FILE RUN LUMI EVENT\n");
        return 2;
    }
    for (int i = 2; i < argc; i++)
        id[i - 2] = strtoull(argv[i], NULL, 10);
    if (tagma_ctx_new(NULL, &ctx) < 0)
        return 2;
    st = run(ctx, argv[1], id, argc - 2);
    if (st == TAGMA_ABSENT)
        printf("not there\n");
    else if (st < 0 && *tagma_ctx_message(ctx) != '\0')
        fprintf(stderr, "one_event: %s\n", tagma_ctx_message(ctx));
    tagma_ctx_free(ctx);
    return st < 0 ? 2 : st == TAGMA_ABSENT ? 1 : 0;
}
