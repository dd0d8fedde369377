/* SPDX-License-Identifier: Apache-2.0
 * Everything. */
#ifndef TAGMA_TAGMA_H
#define TAGMA_TAGMA_H

#include <tagma/batch.h>
#include <tagma/coord.h>
#include <tagma/ctx.h>
#include <tagma/events.h>
#include <tagma/idlist.h>
#include <tagma/index.h>
#include <tagma/schema.h>
#include <tagma/source.h>
#include <tagma/status.h>
#include <tagma/store.h>
#include <tagma/version.h>

#endif
