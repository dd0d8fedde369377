/* SPDX-License-Identifier: Apache-2.0
 * How long the parts of a conversion take. */
#ifndef TG_INGEST_PHASE_H
#define TG_INGEST_PHASE_H

#include "base/ctx.h"

/* The time since the phase before ended is this phase's. */
static inline void tg_phase_end(uint64_t *began, double *seconds)
{
    uint64_t now = tg_now_ns();

    *seconds += (double)(now - *began) * 1e-9;
    *began = now;
}

#endif
