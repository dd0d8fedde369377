/* SPDX-License-Identifier: Apache-2.0
 * C++ type names: what a collection holds.
 * Source of facts: docs/ROOT.md, "Collections". */
#ifndef TG_ROOT_CXXTYPE_H
#define TG_ROOT_CXXTYPE_H

#include "root/key.h"

typedef enum tg_cxx_kind {
    TG_CXX_NUMBER,
    TG_CXX_STRING, /* std::string, TString */
    TG_CXX_OTHER   /* a class, map, pair, pointer ... */
} tg_cxx_kind;

/* "vector<set<int> >": two lists of int. */
typedef struct tg_cxx_type {
    uint32_t n_lists; /* collections whose bytes are a count and the items */
    tg_cxx_kind kind; /* of what the innermost holds */
    int32_t code;     /* TG_CODE_... of a number */
    bool is_bitset;   /* the only list, of bool */
    tg_text name;     /* of what the innermost holds */
} tg_cxx_type;

tg_cxx_type tg_cxx_type_parse(tg_text text);

#endif
