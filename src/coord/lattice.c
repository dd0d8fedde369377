/* SPDX-License-Identifier: Apache-2.0
 * The canonical lattice: three axes of 19, 21 and 28 on the code points U+AC00 to U+D7A3. */
#include <tagma/coord.h>

tagma_status tagma_lattice_code(uint32_t i, uint32_t m, uint32_t f, uint32_t *code)
{
    if (i >= TAGMA_LATTICE_I || m >= TAGMA_LATTICE_M || f >= TAGMA_LATTICE_F)
        return TAGMA_E_RANGE;
    *code = TAGMA_LATTICE_FIRST + (i * TAGMA_LATTICE_M + m) * TAGMA_LATTICE_F + f;
    return TAGMA_OK;
}

tagma_status tagma_lattice_axes(uint32_t code, uint32_t *i, uint32_t *m, uint32_t *f)
{
    /* A code below the first wraps round to a large number: one comparison refuses both sides. */
    uint32_t n = code - TAGMA_LATTICE_FIRST;

    if (n >= TAGMA_LATTICE_COUNT)
        return TAGMA_E_RANGE;
    *f = n % TAGMA_LATTICE_F;
    *m = n / TAGMA_LATTICE_F % TAGMA_LATTICE_M;
    *i = n / (TAGMA_LATTICE_F * TAGMA_LATTICE_M);
    return TAGMA_OK;
}
