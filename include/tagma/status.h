/* SPDX-License-Identifier: Apache-2.0
 * What a call answers: zero did it, positive is an honest nothing, negative failed. */
#ifndef TAGMA_STATUS_H
#define TAGMA_STATUS_H

#include <tagma/version.h>

/** After a negative status the words are in tagma_ctx_message() of the context the call was given. */
typedef enum tagma_status {
    TAGMA_OK = 0,
    TAGMA_END = 1,            /**< nothing more to deliver */
    TAGMA_ABSENT = 2,         /**< proven not to be there */
    TAGMA_E_ARG = -1,         /**< the caller slipped */
    TAGMA_E_MEMORY = -2,      /**< the allocator, or the context's max_memory, refused */
    TAGMA_E_IO = -3,          /**< the operating system refused */
    TAGMA_E_CORRUPT = -4,     /**< the file is wrong */
    TAGMA_E_TRUNCATED = -5,   /**< the file stops short */
    TAGMA_E_UNSUPPORTED = -6, /**< sound as far as seen, but this version cannot read it */
    TAGMA_E_LIMIT = -7,     /**< it asks for more than a limit allows; a short buffer, with the size needed */
    TAGMA_E_RANGE = -8,     /**< a coordinate, entry or column out of bounds */
    TAGMA_E_CANCELLED = -9, /**< the progress callback asked to stop */
    TAGMA_E_CHANGED = -10,  /**< the file changed while it was read */
    TAGMA_E_STALE = -11,    /**< a sidecar was made for another state of its file */
    TAGMA_E_NAME = -12      /**< no such tree, column or id columns, or the name is ambiguous */
} tagma_status;

/*
 * A struct that begins with struct_bytes and is filled by a call: set struct_bytes to its sizeof first. No more bytes than that are
 * written, so a program that was compiled with an older, shorter one goes on working; afterwards struct_bytes tells how many were.
 */

TAGMA_BEGIN_DECLS

/** The constant's own name, for example "TAGMA_E_CORRUPT"; "?" for a value that is none. Static storage. */
TAGMA_API const char *tagma_status_name(tagma_status status);

TAGMA_END_DECLS

#endif
