/* SPDX-License-Identifier: Apache-2.0
 * Version of the library and of its interface. */
#ifndef TAGMA_VERSION_H
#define TAGMA_VERSION_H

#if defined(__GNUC__)
#define TAGMA_API __attribute__((visibility("default")))
/** A status that must be read: the compiler warns when it is dropped. */
#define TAGMA_CHECKED             __attribute__((warn_unused_result))
#define TAGMA_PRINTF(words, args) __attribute__((format(printf, words, args)))
#else
#define TAGMA_API
#define TAGMA_CHECKED
#define TAGMA_PRINTF(words, args)
#endif

#ifdef __cplusplus
#define TAGMA_BEGIN_DECLS extern "C" {
#define TAGMA_END_DECLS   }
#else
#define TAGMA_BEGIN_DECLS
#define TAGMA_END_DECLS
#endif

#define TAGMA_VERSION_MAJOR 0
#define TAGMA_VERSION_MINOR 1
#define TAGMA_VERSION_PATCH 0
#define TAGMA_VERSION       "0.1.0"

TAGMA_BEGIN_DECLS

/** The version of the library that is linked, for example "0.1.0". Static storage. */
TAGMA_API const char *tagma_version(void);

TAGMA_END_DECLS

#endif
