/* SPDX-License-Identifier: Apache-2.0
 * JSON as it is written: braces, keys and commas in the right places. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <tagma/ctx.h>

#include "cli/text.h"

/* Values appended one after the other; commas come of themselves. */
typedef struct cli_json {
    cli_text text;
    bool is_fresh; /* just behind a brace, a bracket or a key */
} cli_json;

#define CLI_JSON_INIT                                                                                        \
    {                                                                                                        \
        {NULL, 0, 0, false}, true                                                                            \
    }

void cli_json_open(cli_json *json, char brace);  /* '{' or '[' */
void cli_json_close(cli_json *json, char brace); /* '}' or ']' */
void cli_json_key(cli_json *json, const char *key);
void cli_json_string(cli_json *json, const char *text); /* NULL is null */
void cli_json_u64(cli_json *json, uint64_t value);
void cli_json_bool(cli_json *json, bool value);
void cli_json_null(cli_json *json);

/* A key and its value at once. */
void cli_json_member_string(cli_json *json, const char *key, const char *text);
void cli_json_member_u64(cli_json *json, const char *key, uint64_t value);
/* With six digits behind the point. */
void cli_json_member_f64(cli_json *json, const char *key, double value);
void cli_json_member_bool(cli_json *json, const char *key, bool value);

/* A fault as an object: status, file, tree, column, basket, offset, entries and words. */
void cli_json_fault(cli_json *json, const tagma_fault *fault);

#endif
