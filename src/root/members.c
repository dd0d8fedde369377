/* SPDX-License-Identifier: Apache-2.0
 * Make the steps of a class, and run them. */
#include "root/members.h"

typedef enum step_kind {
    STEP_NAMED,   /* TNamed */
    STEP_TOBJECT, /* TObject */
    STEP_FRAMED,  /* an object with a version; `width` bytes behind it where it has no byte count */
    STEP_INT,
    STEP_FLOAT,
    STEP_BITS,
    STEP_SKIP,      /* `width` bytes */
    STEP_TEXT,      /* TString */
    STEP_ARRAY,     /* flag, and numbers unless it is 0 */
    STEP_OLD_ARRAY, /* flag, and numbers always; flag 2: 8 bytes wide */
    STEP_NUMBERS,   /* TArray: n, and n numbers */
    STEP_OBJECTS,   /* TObjArray by value */
    STEP_SLOT
} step_kind;

/* Source: docs/ROOT.md, "TTree" to "TLeaf". Members in order, with the versions that have them (until 0: all since). */
typedef struct row {
    uint8_t kind, field, count_field, width;
    uint8_t since, until;
} row;

static const row tree_rows[] = {
    {STEP_NAMED, 0, 0, 0, 0, 0},
    {STEP_FRAMED, 0, 0, 6, 0, 0}, /* TAttLine */
    {STEP_FRAMED, 0, 0, 4, 0, 0}, /* TAttFill */
    {STEP_FRAMED, 0, 0, 8, 0, 0}, /* TAttMarker */
    {STEP_FLOAT, TG_FIELD_ENTRIES, 0, 8, 0, 12},
    {STEP_INT, TG_FIELD_ENTRIES, 0, 8, 13, 0},
    {STEP_SKIP, 0, 0, 24, 0, 0}, /* fTotBytes, fZipBytes, fSavedBytes */
    {STEP_SKIP, 0, 0, 8, 18, 0}, /* fFlushedBytes */
    {STEP_SKIP, 0, 0, 8, 16, 0}, /* fWeight */
    {STEP_SKIP, 0, 0, 12, 0, 0}, /* fTimerInterval, fScanField, fUpdate */
    {STEP_SKIP, 0, 0, 4, 17, 0}, /* fDefaultEntryOffsetLen */
    {STEP_INT, TG_FIELD_CLUSTER_RANGES, 0, 4, 19, 0},
    {STEP_SKIP, 0, 0, 8, 14, 0},  /* fMaxEntries */
    {STEP_SKIP, 0, 0, 12, 0, 12}, /* fMaxEntryLoop, fMaxVirtualSize, fAutoSave */
    {STEP_SKIP, 0, 0, 24, 13, 0},
    {STEP_INT, TG_FIELD_AUTO_FLUSH, 0, 8, 18, 0},
    {STEP_SKIP, 0, 0, 4, 0, 12}, /* fEstimate */
    {STEP_SKIP, 0, 0, 8, 13, 0},
    {STEP_ARRAY, TG_FIELD_CLUSTER_RANGE_END, TG_FIELD_CLUSTER_RANGES, 8, 19, 0},
    {STEP_ARRAY, TG_FIELD_CLUSTER_SIZE, TG_FIELD_CLUSTER_RANGES, 8, 19, 0},
    {STEP_FRAMED, 0, 0, 0, 20, 0}, /* fIOFeatures */
    {STEP_OBJECTS, TG_FIELD_BRANCHES, 0, 0, 0, 0},
    {STEP_OBJECTS, 0, 0, 0, 0, 0}, /* fLeaves */
    {STEP_SLOT, 0, 0, 0, 10, 0},   /* fAliases */
    {STEP_NUMBERS, 0, 0, 8, 0, 0}, /* fIndexValues */
    {STEP_NUMBERS, 0, 0, 4, 0, 0}, /* fIndex */
    {STEP_SLOT, 0, 0, 0, 12, 0},   /* fTreeIndex */
    {STEP_SLOT, TG_FIELD_FRIENDS, 0, 0, 6, 0},
};

static const row branch_rows[] = {
    {STEP_NAMED, 0, 0, 0, 0, 0},
    {STEP_FRAMED, 0, 0, 4, 8, 0}, /* TAttFill */
    {STEP_INT, TG_FIELD_COMPRESS, 0, 4, 0, 0},
    {STEP_SKIP, 0, 0, 8, 0, 0}, /* fBasketSize, fEntryOffsetLen */
    {STEP_INT, TG_FIELD_WRITE_BASKET, 0, 4, 0, 0},
    {STEP_INT, TG_FIELD_ENTRY_NUMBER, 0, 4, 0, 9},
    {STEP_INT, TG_FIELD_ENTRY_NUMBER, 0, 8, 10, 0},
    {STEP_FRAMED, 0, 0, 0, 13, 0}, /* fIOFeatures */
    {STEP_SKIP, 0, 0, 4, 0, 0},    /* fOffset */
    {STEP_INT, TG_FIELD_MAX_BASKETS, 0, 4, 0, 0},
    {STEP_SKIP, 0, 0, 4, 7, 0}, /* fSplitLevel */
    {STEP_SKIP, 0, 0, 8, 0, 0}, /* fEntries */
    {STEP_INT, TG_FIELD_FIRST_ENTRY, 0, 8, 11, 0},
    {STEP_FLOAT, TG_FIELD_TOT_BYTES, 0, 8, 0, 9},
    {STEP_INT, TG_FIELD_TOT_BYTES, 0, 8, 10, 0},
    {STEP_FLOAT, TG_FIELD_ZIP_BYTES, 0, 8, 0, 9},
    {STEP_INT, TG_FIELD_ZIP_BYTES, 0, 8, 10, 0},
    {STEP_OBJECTS, TG_FIELD_BRANCHES, 0, 0, 0, 0},
    {STEP_OBJECTS, TG_FIELD_LEAVES, 0, 0, 0, 0},
    {STEP_OBJECTS, TG_FIELD_BASKETS, 0, 0, 0, 0},
    {STEP_OLD_ARRAY, TG_FIELD_BASKET_BYTES, TG_FIELD_MAX_BASKETS, 4, 0, 9},
    {STEP_OLD_ARRAY, TG_FIELD_BASKET_ENTRY, TG_FIELD_MAX_BASKETS, 4, 0, 9},
    {STEP_OLD_ARRAY, TG_FIELD_BASKET_SEEK, TG_FIELD_MAX_BASKETS, 4, 0, 9},
    {STEP_ARRAY, TG_FIELD_BASKET_BYTES, TG_FIELD_MAX_BASKETS, 4, 10, 0},
    {STEP_ARRAY, TG_FIELD_BASKET_ENTRY, TG_FIELD_MAX_BASKETS, 8, 10, 0},
    {STEP_ARRAY, TG_FIELD_BASKET_SEEK, TG_FIELD_MAX_BASKETS, 8, 10, 0},
    {STEP_TEXT, TG_FIELD_FILE_NAME, 0, 0, 0, 0},
};

/* Behind its TBranch. */
static const row element_rows[] = {
    {STEP_TEXT, TG_FIELD_CLASS_NAME, 0, 0, 0, 0},
    {STEP_TEXT, 0, 0, 0, 2, 0}, /* fParentName */
    {STEP_TEXT, TG_FIELD_CLONES_NAME, 0, 0, 2, 0},
    {STEP_INT, TG_FIELD_CHECKSUM, 0, 4, 2, 0},
    {STEP_INT, TG_FIELD_CLASS_VERSION, 0, 4, 0, 9},
    {STEP_INT, TG_FIELD_CLASS_VERSION, 0, 2, 10, 0},
    {STEP_INT, TG_FIELD_ID, 0, 4, 0, 0},
    {STEP_INT, TG_FIELD_TYPE, 0, 4, 0, 0},
    {STEP_INT, TG_FIELD_STREAMER_TYPE, 0, 4, 0, 0},
    {STEP_SKIP, 0, 0, 4, 2, 0}, /* fMaximum */
    {STEP_SLOT, TG_FIELD_BRANCH_COUNT, 0, 0, 2, 0},
};

static const row object_rows[] = {{STEP_TEXT, TG_FIELD_CLASS_NAME, 0, 0, 0, 0}};

static const row leaf_rows[] = {
    {STEP_NAMED, 0, 0, 0, 0, 0},
    {STEP_INT, TG_FIELD_LEN, 0, 4, 0, 0},
    {STEP_SKIP, 0, 0, 9, 0, 0}, /* fLenType, fOffset, fIsRange */
    {STEP_INT, TG_FIELD_IS_UNSIGNED, 0, 1, 0, 0},
    {STEP_SLOT, TG_FIELD_LEAF_COUNT, 0, 0, 0, 0},
};

static const row friend_rows[] = {
    {STEP_NAMED, 0, 0, 0, 0, 0},
    {STEP_TEXT, TG_FIELD_TREE_NAME, 0, 0, 0, 0},
};

/* `known` are bits of the versions whose streamer info need not be asked. TBranch and TLeaf below version 10 were written by
 * code of their own, which their info does not describe. */
typedef struct built_in {
    const char *class_name;
    const row *rows;
    uint32_t n_rows;
    uint32_t known;
    int32_t first, last; /* versions the rows can describe at all */
} built_in;

#define VERSIONS(first, last) (((uint32_t)2 << (last)) - ((uint32_t)1 << (first)))
#define ROWS(rows)            rows, sizeof(rows) / sizeof(rows)[0]
static const built_in built_ins[] = {
    {"TTree", ROWS(tree_rows), VERSIONS(5, 5) | VERSIONS(16, 20), 5, 20},
    {"TBranch", ROWS(branch_rows), VERSIONS(6, 13), 6, 13},
    {"TBranchElement", ROWS(element_rows), VERSIONS(1, 1) | VERSIONS(8, 10), 1, 10},
    {"TBranchObject", ROWS(object_rows), VERSIONS(1, 1), 1, 1},
    {"TLeaf", ROWS(leaf_rows), VERSIONS(1, 2), 1, 2},
    {"TFriendElement", ROWS(friend_rows), VERSIONS(1, 2), 1, 2},
};

static const built_in *find_built_in(const char *class_name)
{
    for (size_t i = 0; i < sizeof built_ins / sizeof built_ins[0]; i++)
        if (strcmp(built_ins[i].class_name, class_name) == 0)
            return &built_ins[i];
    return NULL;
}

bool tg_members_are_known(const char *class_name, int32_t version)
{
    const built_in *class = find_built_in(class_name);

    return class && version >= class->first && version <= class->last && (class->known >> version & 1);
}

static const struct {
    const char *name;
    tg_field field;
} field_names[] = {
    {"fEntries", TG_FIELD_ENTRIES},
    {"fNClusterRange", TG_FIELD_CLUSTER_RANGES},
    {"fAutoFlush", TG_FIELD_AUTO_FLUSH},
    {"fClusterRangeEnd", TG_FIELD_CLUSTER_RANGE_END},
    {"fClusterSize", TG_FIELD_CLUSTER_SIZE},
    {"fFriends", TG_FIELD_FRIENDS},
    {"fCompress", TG_FIELD_COMPRESS},
    {"fWriteBasket", TG_FIELD_WRITE_BASKET},
    {"fEntryNumber", TG_FIELD_ENTRY_NUMBER},
    {"fMaxBaskets", TG_FIELD_MAX_BASKETS},
    {"fFirstEntry", TG_FIELD_FIRST_ENTRY},
    {"fTotBytes", TG_FIELD_TOT_BYTES},
    {"fZipBytes", TG_FIELD_ZIP_BYTES},
    {"fBranches", TG_FIELD_BRANCHES},
    {"fLeaves", TG_FIELD_LEAVES},
    {"fBaskets", TG_FIELD_BASKETS},
    {"fBasketBytes", TG_FIELD_BASKET_BYTES},
    {"fBasketEntry", TG_FIELD_BASKET_ENTRY},
    {"fBasketSeek", TG_FIELD_BASKET_SEEK},
    {"fFileName", TG_FIELD_FILE_NAME},
    {"fClassName", TG_FIELD_CLASS_NAME},
    {"fClonesName", TG_FIELD_CLONES_NAME},
    {"fCheckSum", TG_FIELD_CHECKSUM},
    {"fClassVersion", TG_FIELD_CLASS_VERSION},
    {"fID", TG_FIELD_ID},
    {"fType", TG_FIELD_TYPE},
    {"fStreamerType", TG_FIELD_STREAMER_TYPE},
    {"fBranchCount", TG_FIELD_BRANCH_COUNT},
    {"fLen", TG_FIELD_LEN},
    {"fIsUnsigned", TG_FIELD_IS_UNSIGNED},
    {"fLeafCount", TG_FIELD_LEAF_COUNT},
    {"fTreeName", TG_FIELD_TREE_NAME},
};

static uint8_t field_of(tg_text name)
{
    for (size_t i = 0; i < sizeof field_names / sizeof field_names[0]; i++)
        if (tg_text_is(name, field_names[i].name))
            return (uint8_t)field_names[i].field;
    return TG_FIELD_NONE;
}

/* Bytes of a number of a type code on disk, without an annotated range; 0 for what is no number. */
static uint8_t width_of(int32_t code)
{
    static const uint8_t widths[] = {0, 1, 2, 4, 8, 4, 4, 0, 8, 4, 1, 1, 2, 4, 8, 0, 8, 8, 1, 3};

    return code >= 0 && code < (int32_t)sizeof widths ? widths[code] : 0;
}

static bool is_array_class(tg_text name, uint32_t *width)
{
    static const struct {
        const char *name;
        uint32_t width;
    } arrays[] = {{"TArrayC", 1}, {"TArrayS", 2}, {"TArrayI", 4},  {"TArrayF", 4},
                  {"TArrayD", 8}, {"TArrayL", 8}, {"TArrayL64", 8}};

    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        if (tg_text_is(name, arrays[i].name)) {
            *width = arrays[i].width;
            return true;
        }
    return false;
}

static bool object_step(const tg_element *element, tg_step *step)
{
    uint32_t width = 0;

    if (is_array_class(element->type_name, &width))
        *step = (tg_step){STEP_NUMBERS, step->field, 0, width};
    else if (tg_text_is(element->type_name, "TObjArray"))
        step->kind = STEP_OBJECTS;
    else
        step->kind = STEP_FRAMED;
    return true;
}

/* The step of one element; false where it has none. */
static bool step_of(const tg_element *element, tg_step *step)
{
    int32_t code = element->code;

    *step = (tg_step){.field = element->is_base ? TG_FIELD_NONE : field_of(element->name)};
    if (code == TG_CODE_TNAMED || (element->is_base && tg_text_is(element->name, "TNamed")))
        step->kind = STEP_NAMED;
    else if (code == TG_CODE_TOBJECT || (element->is_base && tg_text_is(element->name, "TObject")))
        step->kind = STEP_TOBJECT;
    else if (element->is_base)
        step->kind = STEP_FRAMED;
    else if (code == TG_CODE_F32 || code == TG_CODE_F64)
        *step = (tg_step){STEP_FLOAT, step->field, 0, width_of(code)};
    else if (code == TG_CODE_BITS)
        step->kind = STEP_BITS;
    else if (width_of(code) > 0)
        *step = (tg_step){code == TG_CODE_DOUBLE32 || code == TG_CODE_FLOAT16 ? STEP_SKIP : STEP_INT,
                          step->field, 0, width_of(code)};
    else if (code > TG_CODE_ARRAY && width_of(code - TG_CODE_ARRAY) > 0 && element->n_items <= UINT16_MAX)
        *step = (tg_step){STEP_SKIP, 0, 0, element->n_items * width_of(code - TG_CODE_ARRAY)};
    else if (code > TG_CODE_COUNTED && width_of(code - TG_CODE_COUNTED) > 0)
        *step = (tg_step){STEP_ARRAY, step->field, field_of(element->count_name),
                          width_of(code - TG_CODE_COUNTED)};
    else if (code == TG_CODE_TSTRING)
        step->kind = STEP_TEXT;
    else if (code == TG_CODE_OBJECT_POINTER || code == TG_CODE_ANY_POINTER)
        step->kind = STEP_SLOT;
    else if (code == TG_CODE_OBJECT || code == TG_CODE_ANY || code == TG_CODE_OBJECT_DIRECT ||
             code == TG_CODE_ANY_DIRECT)
        return object_step(element, step);
    else
        return false;
    return true;
}

/* TBranchElement's first element is its TBranch, which whoever runs the steps has read. */
static tagma_status from_info(tagma_ctx *ctx, const tg_streamers *streamers, const tg_class_info *info,
                              tg_members *out)
{
    for (uint32_t i = 0; i < info->n_elements; i++) {
        const tg_element *element = tg_streamers_element(streamers, info, i);

        if (element->is_base && tg_text_is(element->name, "TBranch"))
            continue;
        if (out->n == TG_STEPS_MAX || !step_of(element, &out->steps[out->n]))
            return tg_fail(ctx, TAGMA_E_UNSUPPORTED,
                           "%.*s version %" PRId32 ": member %.*s (type %" PRId32 ") is not known",
                           (int)info->name.n, info->name.bytes, info->version, (int)element->name.n,
                           element->name.bytes, element->code);
        out->n++;
    }
    return TAGMA_OK;
}

static void from_rows(const built_in *class, int32_t version, tg_members *out)
{
    for (uint32_t i = 0; i < class->n_rows; i++) {
        const row *r = &class->rows[i];

        if (version >= r->since && (r->until == 0 || version <= r->until))
            out->steps[out->n++] = (tg_step){r->kind, r->field, r->count_field, r->width};
    }
}

tagma_status tg_members_make(tagma_ctx *ctx, const char *class_name, int32_t version,
                             const tg_streamers *streamers, tg_members *out)
{
    const built_in *class = find_built_in(class_name);
    const tg_class_info *info = NULL;

    out->class_name = class_name;
    out->version = version;
    out->n = 0;
    if (!tg_members_are_known(class_name, version))
        info = tg_streamers_find(streamers, tg_text_of(class_name), version, 0);
    if (info && info->version == version)
        return from_info(ctx, streamers, info, out);
    if (!class || version < class->first || version > class->last)
        return tg_fail(ctx, TAGMA_E_UNSUPPORTED,
                       "%s version %" PRId32 " is not known, and the file does not describe it", class_name,
                       version);
    from_rows(class, version, out);
    return TAGMA_OK;
}

static int64_t read_int(tg_in *in, uint32_t width)
{
    switch (width) {
    case 1:
        return tg_in_u8(in);
    case 2:
        return (int16_t)tg_in_be16(in);
    case 4:
        return (int32_t)tg_in_be32(in);
    default:
        return (int64_t)tg_in_be64(in);
    }
}

/* Counters were once floating; what is no count becomes -1. */
static int64_t read_float(tg_in *in, uint32_t width)
{
    uint64_t bits = width == 4 ? tg_in_be32(in) : tg_in_be64(in);
    uint32_t bits32 = (uint32_t)bits;
    double value;
    float value32;

    memcpy(&value, &bits, sizeof value);
    memcpy(&value32, &bits32, sizeof value32);
    if (width == 4)
        value = (double)value32;
    return value >= 0 && value < 9e18 ? (int64_t)value : -1;
}

static void read_array(tg_in *in, const tg_step *step, tg_values *values)
{
    int64_t n = values->numbers[step->count_field];
    uint8_t flag = tg_in_u8(in);
    tg_member_array array = {.width = step->width};

    if (step->kind == STEP_OLD_ARRAY && flag == 2)
        array.width = 8;
    else if (step->kind == STEP_ARRAY && flag == 0)
        return;
    if (n < 0 || n > UINT32_MAX) {
        in->is_short = true;
        return;
    }
    array.at = in->at;
    array.n = (uint32_t)n;
    tg_in_skip(in, (uint64_t)array.n * array.width);
    if (!tg_in_short(in))
        values->arrays[step->field] = array;
}

static void skip_framed(tg_in *in, uint32_t width)
{
    tg_object object = tg_object_enter(in);

    if (!object.has_count) {
        if (width == 0)
            in->is_short = true;
        tg_in_skip(in, width);
    }
    if (!tg_object_leave(in, &object))
        in->is_short = true;
}

static tagma_status skip_slot(tg_in *in, const tg_step *step, uint32_t key_bytes, tg_member_fn visit,
                              void *user, tg_values *values)
{
    size_t start = in->at;
    tg_slot slot = tg_slot_enter(in, key_bytes);
    bool is_blind = slot.kind == TG_SLOT_OBJECT && !slot.has_count;

    values->references[step->field] = slot.kind == TG_SLOT_REFERENCE ? slot.reference : 0;
    if (!tg_slot_leave(in, &slot) || is_blind)
        in->is_short = true;
    else if (slot.kind == TG_SLOT_OBJECT && step->field != TG_FIELD_NONE) {
        tg_in there = *in;
        there.at = start;
        return visit(user, (tg_field)step->field, &there);
    }
    return TAGMA_OK;
}

static tagma_status run_step(const tg_step *step, tg_in *in, uint32_t key_bytes, tg_member_fn visit,
                             void *user, tg_values *values)
{
    switch (step->kind) {
    case STEP_NAMED:
        if (!tg_in_named(in, &values->name, &values->title))
            in->is_short = true;
        break;
    case STEP_TOBJECT:
        tg_in_skip_tobject(in);
        break;
    case STEP_FRAMED:
        skip_framed(in, step->width);
        break;
    case STEP_INT:
        values->numbers[step->field] = read_int(in, step->width);
        break;
    case STEP_FLOAT:
        values->numbers[step->field] = read_float(in, step->width);
        break;
    case STEP_BITS:
        if (tg_in_be32(in) & 0x10)
            tg_in_skip(in, 2);
        break;
    case STEP_SKIP:
        tg_in_skip(in, step->width);
        break;
    case STEP_TEXT:
        values->texts[step->field] = tg_in_text(in);
        break;
    case STEP_ARRAY:
    case STEP_OLD_ARRAY:
        read_array(in, step, values);
        break;
    case STEP_NUMBERS:
        tg_in_skip(in, (uint64_t)tg_in_be32(in) * step->width);
        break;
    case STEP_OBJECTS:
        if (step->field != TG_FIELD_NONE)
            return visit(user, (tg_field)step->field, in);
        tg_in_skip_objects(in, key_bytes);
        break;
    default:
        return skip_slot(in, step, key_bytes, visit, user, values);
    }
    return TAGMA_OK;
}

tagma_status tg_members_run(tagma_ctx *ctx, const tg_members *members, tg_in *in, uint32_t key_bytes,
                            tg_member_fn visit, void *user, tg_values *out)
{
    for (uint32_t i = 0; i < members->n; i++) {
        TG_TRY(run_step(&members->steps[i], in, key_bytes, visit, user, out));
        if (tg_in_short(in))
            return tg_fail(ctx, TAGMA_E_CORRUPT,
                           "%s version %" PRId32 ": member %" PRIu32
                           " passes its end, byte %zu of the payload",
                           members->class_name, members->version, i, in->n);
    }
    return TAGMA_OK;
}
