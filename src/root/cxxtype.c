/* SPDX-License-Identifier: Apache-2.0
 * Parse C++ type names. */
#include "root/cxxtype.h"

#include "root/streamer.h"

/* Names are searched as they are spelled without blanks at their ends, "std::" and "const". */
static const struct {
    const char *name;
    int32_t code;
} numbers[] = {
    {"bool", TG_CODE_BOOL},
    {"Bool_t", TG_CODE_BOOL},
    {"char", TG_CODE_I8},
    {"Char_t", TG_CODE_I8},
    {"signed char", TG_CODE_I8},
    {"int8_t", TG_CODE_I8},
    {"unsigned char", TG_CODE_U8},
    {"UChar_t", TG_CODE_U8},
    {"Byte_t", TG_CODE_U8},
    {"uint8_t", TG_CODE_U8},
    {"short", TG_CODE_I16},
    {"short int", TG_CODE_I16},
    {"Short_t", TG_CODE_I16},
    {"int16_t", TG_CODE_I16},
    {"unsigned short", TG_CODE_U16},
    {"unsigned short int", TG_CODE_U16},
    {"UShort_t", TG_CODE_U16},
    {"uint16_t", TG_CODE_U16},
    {"int", TG_CODE_I32},
    {"Int_t", TG_CODE_I32},
    {"int32_t", TG_CODE_I32},
    {"unsigned int", TG_CODE_U32},
    {"unsigned", TG_CODE_U32},
    {"UInt_t", TG_CODE_U32},
    {"uint32_t", TG_CODE_U32},
    {"long", TG_CODE_I64},
    {"long int", TG_CODE_I64},
    {"long long", TG_CODE_I64},
    {"long long int", TG_CODE_I64},
    {"Long_t", TG_CODE_I64},
    {"Long64_t", TG_CODE_I64},
    {"int64_t", TG_CODE_I64},
    {"unsigned long", TG_CODE_U64},
    {"unsigned long int", TG_CODE_U64},
    {"unsigned long long", TG_CODE_U64},
    {"unsigned long long int", TG_CODE_U64},
    {"ULong_t", TG_CODE_U64},
    {"ULong64_t", TG_CODE_U64},
    {"uint64_t", TG_CODE_U64},
    {"size_t", TG_CODE_U64},
    {"float", TG_CODE_F32},
    {"Float_t", TG_CODE_F32},
    {"double", TG_CODE_F64},
    {"Double_t", TG_CODE_F64},
    {"Double32_t", TG_CODE_DOUBLE32},
    {"Float16_t", TG_CODE_FLOAT16},
};

static const char *const strings[] = {"string", "TString", "basic_string<char>"};

static const char *const containers[] = {"vector",
                                         "list",
                                         "deque",
                                         "set",
                                         "multiset",
                                         "unordered_set",
                                         "unordered_multiset",
                                         "forward_list",
                                         "ROOT::VecOps::RVec",
                                         "ROOT::RVec",
                                         "RVec"};

static bool drop_front(tg_text *text, const char *word)
{
    size_t n = strlen(word);

    if (text->n < n || memcmp(text->bytes, word, n) != 0)
        return false;
    text->bytes += n;
    text->n -= (uint32_t)n;
    return true;
}

static tg_text trim(tg_text text)
{
    bool is_trimmed;

    do {
        is_trimmed = drop_front(&text, " ") || drop_front(&text, "std::") || drop_front(&text, "const ");
    } while (is_trimmed);
    while (text.n > 0 && text.bytes[text.n - 1] == ' ')
        text.n--;
    return text;
}

/* The first argument of a template's, and the template's name. false for what is no template. */
static bool split_template(tg_text text, tg_text *name, tg_text *argument)
{
    const char *open = memchr(text.bytes, '<', text.n), *end = text.bytes + text.n, *at;
    uint32_t depth = 0;

    if (!open || end[-1] != '>')
        return false;
    *name = trim((tg_text){text.bytes, (uint32_t)(open - text.bytes)});
    for (at = open + 1; at < end - 1; at++) {
        if (*at == '<')
            depth++;
        else if (*at == '>' && depth > 0)
            depth--;
        else if (*at == ',' && depth == 0)
            break;
    }
    *argument = trim((tg_text){open + 1, (uint32_t)(at - open - 1)});
    return true;
}

static bool is_among(tg_text text, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (tg_text_is(text, words[i]))
            return true;
    return false;
}

static void classify(tg_cxx_type *type)
{
    type->kind = TG_CXX_OTHER;
    if (is_among(type->name, strings, sizeof strings / sizeof strings[0]))
        type->kind = TG_CXX_STRING;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (tg_text_is(type->name, numbers[i].name)) {
            type->kind = TG_CXX_NUMBER;
            type->code = numbers[i].code;
        }
}

/* Each turn takes a template off and looks at all that is left: few are, so that no name costs more than its length. */
tg_cxx_type tg_cxx_type_parse(tg_text text)
{
    enum { LISTS_MAX = 8 };
    tg_cxx_type type = {.name = trim(text)};
    tg_text name, argument;

    while (type.name.n > 0 && type.n_lists < LISTS_MAX && split_template(type.name, &name, &argument)) {
        if (tg_text_is(name, "bitset") && type.n_lists == 0)
            return (tg_cxx_type){1, TG_CXX_NUMBER, TG_CODE_BOOL, true, type.name};
        if (!is_among(name, containers, sizeof containers / sizeof containers[0]))
            break;
        type.n_lists++;
        type.name = argument;
    }
    classify(&type);
    return type;
}
