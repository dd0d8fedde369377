/* SPDX-License-Identifier: Apache-2.0
 * Names of id columns: the spellings, and the form in which names are compared. */
#include "coord/idname.h"

#include <stdbool.h>
#include <string.h>

/* In the order of tg_id_role; in normal form, since they are compared as they stand. */
static const struct {
    const char *name;
    const char *spellings;
} roles[] = {
    {"run", "run, runnumber, runnum, runnr"},
    {"lumi", "luminosityblock, lumi, lumiblock, lumiblocknum, lumisection, ls, subrun"},
    {"event", "event, eventnumber, eventnum, evtnumber, evtnum, evt"},
    {"", ""},
};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool ends_in(const char *text, size_t n, const char *tail)
{
    size_t m = strlen(tail);

    return n >= m && memcmp(text + n - m, tail, m) == 0;
}

static bool begins_with(const char *text, size_t n, const char *head)
{
    size_t m = strlen(head);

    return n >= m && memcmp(text, head, m) == 0;
}

/* Does the path end in EventInfo, with Aux or AuxDyn behind it or not, whatever separators are between and after? */
static bool is_event_info(const char *text, size_t n)
{
    while (n > 0 && (text[n - 1] == '.' || text[n - 1] == '/'))
        n--;
    if (ends_in(text, n, "auxdyn"))
        n -= strlen("auxdyn");
    else if (ends_in(text, n, "aux"))
        n -= strlen("aux");
    while (n > 0 && (text[n - 1] == '.' || text[n - 1] == '/'))
        n--;
    return ends_in(text, n, "eventinfo");
}

/* Where the name behind an EventInfo prefix begins: behind its last separator, or behind the bare word. */
static size_t prefix_length(const char *text, size_t n)
{
    static const char *const bare[] = {"eventinfoauxdyn", "eventinfoaux", "eventinfo"};
    size_t at = n;

    while (at > 0 && text[at - 1] != '.' && text[at - 1] != '/')
        at--;
    if (at > 0)
        return is_event_info(text, at) ? at : 0;
    for (size_t i = 0; i < sizeof bare / sizeof bare[0]; i++)
        if (begins_with(text, n, bare[i]) && n > strlen(bare[i]))
            return strlen(bare[i]);
    return 0;
}

size_t tg_id_name_normal(const char *name, size_t n, char normal[TG_ID_NAME_BYTES])
{
    char reversed[TG_ID_NAME_BYTES];
    size_t m = 0, skip;

    while (n > 0 && m < TG_ID_NAME_BYTES - 1) {
        char c = name[--n];
        if (c != '_')
            reversed[m++] = lower(c);
    }
    for (size_t i = 0; i < m; i++)
        normal[i] = reversed[m - 1 - i];
    skip = prefix_length(normal, m);
    m -= skip;
    memmove(normal, normal + skip, m);
    normal[m] = 0;
    return m;
}

/* Is the text one of the words of a list "a, b, c"? */
static bool is_word_of(const char *list, const char *text, size_t n)
{
    while (*list) {
        size_t m = strcspn(list, ",");
        if (m == n && memcmp(list, text, n) == 0)
            return true;
        list += m;
        list += strspn(list, ", ");
    }
    return false;
}

tg_id_role tg_id_role_of(const char *name, size_t n)
{
    char normal[TG_ID_NAME_BYTES];
    size_t m = tg_id_name_normal(name, n, normal);

    for (int role = TG_ROLE_RUN; role < TG_ROLE_NONE; role++)
        if (is_word_of(roles[role].spellings, normal, m))
            return (tg_id_role)role;
    return TG_ROLE_NONE;
}

const char *tg_id_role_name(tg_id_role role)
{
    return roles[role].name;
}

tg_id_role tg_id_role_named(const char *role)
{
    for (int r = TG_ROLE_RUN; r < TG_ROLE_NONE; r++)
        if (strcmp(roles[r].name, role) == 0)
            return (tg_id_role)r;
    return TG_ROLE_NONE;
}

const char *tg_id_role_spellings(tg_id_role role)
{
    return roles[role].spellings;
}
