/* SPDX-License-Identifier: Apache-2.0
 * JSON as it is written: braces, keys and commas in the right places. */
#include "cli/json.h"

static void separate(cli_json *json)
{
    if (!json->is_fresh)
        cli_text_put(&json->text, ", ", 2);
    json->is_fresh = false;
}

void cli_json_open(cli_json *json, char brace)
{
    separate(json);
    cli_text_char(&json->text, brace);
    json->is_fresh = true;
}

void cli_json_close(cli_json *json, char brace)
{
    cli_text_char(&json->text, brace);
    json->is_fresh = false;
}

void cli_json_key(cli_json *json, const char *key)
{
    separate(json);
    cli_text_json(&json->text, key, strlen(key));
    cli_text_put(&json->text, ": ", 2);
    json->is_fresh = true;
}

void cli_json_string(cli_json *json, const char *text)
{
    if (text == NULL) {
        cli_json_null(json);
        return;
    }
    separate(json);
    cli_text_json(&json->text, text, strlen(text));
}

void cli_json_u64(cli_json *json, uint64_t value)
{
    separate(json);
    cli_text_u64(&json->text, value);
}

void cli_json_bool(cli_json *json, bool value)
{
    separate(json);
    cli_text_words(&json->text, value ? "true" : "false");
}

void cli_json_null(cli_json *json)
{
    separate(json);
    cli_text_words(&json->text, "null");
}

void cli_json_member_string(cli_json *json, const char *key, const char *text)
{
    cli_json_key(json, key);
    cli_json_string(json, text);
}

void cli_json_member_u64(cli_json *json, const char *key, uint64_t value)
{
    cli_json_key(json, key);
    cli_json_u64(json, value);
}

void cli_json_member_f64(cli_json *json, const char *key, double value)
{
    cli_json_key(json, key);
    separate(json);
    cli_text_format(&json->text, "%.6f", value);
}

void cli_json_member_bool(cli_json *json, const char *key, bool value)
{
    cli_json_key(json, key);
    cli_json_bool(json, value);
}

void cli_json_fault(cli_json *json, const tagma_fault *fault)
{
    cli_json_open(json, '{');
    cli_json_member_string(json, "status", tagma_status_name(fault->status));
    cli_json_member_string(json, "file", fault->file);
    cli_json_member_string(json, "tree", fault->tree);
    cli_json_member_string(json, "column", fault->column);
    cli_json_key(json, "basket");
    if (fault->basket >= 0)
        cli_json_u64(json, (uint64_t)fault->basket);
    else
        cli_json_null(json);
    cli_json_member_u64(json, "offset", fault->offset);
    cli_json_member_u64(json, "first_entry", fault->first_entry);
    cli_json_member_u64(json, "entries", fault->n_entries);
    cli_json_member_string(json, "message", fault->message);
    cli_json_close(json, '}');
}
