/* SPDX-License-Identifier: Apache-2.0
 * Words into values eight at a time, for processors with AVX2. The same values as tg_slot_value() word by word. */
#ifndef TG_STORE_EIGHTS_H
#define TG_STORE_EIGHTS_H

#include "store/tile.h"

/* Whether there is a faster way for words of this slot on this processor: values of 4 and 8 bytes, words of one load. */
bool tg_eights_suit(const tg_slot *slot);

/* Values of runs end to end. The slot suits; each run begins at a byte and has whole eights of words. */
void tg_eights_decode(const tg_heads *heads, const tg_slot *slot, const tg_run *runs, uint32_t n_runs,
                      uint8_t *to);

#endif
