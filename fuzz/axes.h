/* SPDX-License-Identifier: Apache-2.0
 * The axes of a made-up tree, from one byte: how many in its low bits, the sign of each above. */
#ifndef TG_FUZZ_AXES_H
#define TG_FUZZ_AXES_H

#include <tagma/idlist.h>

static inline tagma_id_axes fuzz_axes(uint8_t shape)
{
    static const char *const names[] = {"run", "luminosityBlock", "event", "fine"};
    static const char *const roles[] = {"run", "lumi", "event", ""};
    tagma_id_axes axes = {.n_axes = (shape & 7U) % (TAGMA_MAX_ID_AXES + 1), .tree = "T"};

    for (uint32_t a = 0; a < axes.n_axes; a++) {
        axes.names[a] = names[a];
        axes.roles[a] = roles[a];
        axes.is_signed[a] = (shape >> (4 + a) & 1) != 0;
    }
    return axes;
}

#endif
