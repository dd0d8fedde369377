/* SPDX-License-Identifier: Apache-2.0
 * One event straight from the bytes of a cluster's table: the first that is read of a cluster, for which loading the table and
 * compiling a plan would take longer than reading it. */
#ifndef TG_STORE_DIRECT_H
#define TG_STORE_DIRECT_H

#include "event/record.h"
#include "store/tile.h"

/* Event k of a tile as a record, as tg_copyplan_run() makes it.
 * @param table  begun (tg_table_begin).
 * @return false where that cannot be: strings, lists of lists or nulls, some columns only, a short buffer, anything that is
 *         not sound. The way by the plan then does it, or finds the words. */
bool tg_direct_event(const tg_table *table, const tagma_record_plan *record, const tg_tile *tile, uint32_t k,
                     uint8_t *bytes, size_t record_bytes, size_t *needed);

#endif
