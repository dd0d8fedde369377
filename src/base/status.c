/* SPDX-License-Identifier: Apache-2.0
 * Names of the statuses, and the version. */
#include <stddef.h>
#include <tagma/status.h>

const char *tagma_version(void)
{
    return TAGMA_VERSION;
}

const char *tagma_status_name(tagma_status status)
{
    static const struct {
        tagma_status status;
        const char *name;
    } names[] = {
        {TAGMA_OK, "TAGMA_OK"},
        {TAGMA_END, "TAGMA_END"},
        {TAGMA_ABSENT, "TAGMA_ABSENT"},
        {TAGMA_E_ARG, "TAGMA_E_ARG"},
        {TAGMA_E_MEMORY, "TAGMA_E_MEMORY"},
        {TAGMA_E_IO, "TAGMA_E_IO"},
        {TAGMA_E_CORRUPT, "TAGMA_E_CORRUPT"},
        {TAGMA_E_TRUNCATED, "TAGMA_E_TRUNCATED"},
        {TAGMA_E_UNSUPPORTED, "TAGMA_E_UNSUPPORTED"},
        {TAGMA_E_LIMIT, "TAGMA_E_LIMIT"},
        {TAGMA_E_RANGE, "TAGMA_E_RANGE"},
        {TAGMA_E_CANCELLED, "TAGMA_E_CANCELLED"},
        {TAGMA_E_CHANGED, "TAGMA_E_CHANGED"},
        {TAGMA_E_STALE, "TAGMA_E_STALE"},
        {TAGMA_E_NAME, "TAGMA_E_NAME"},
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].status == status)
            return names[i].name;
    return "?";
}
