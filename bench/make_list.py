#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# A seeded list of N different entries of a file in random order: STEM.entries, and their ids: STEM.ids.
import sys

import numpy as np
import uproot


def main():
    path, n, seed, stem = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    tree = uproot.open(path)["Events"]
    entries = np.random.default_rng(seed).permutation(tree.num_entries)[:n]
    ids = [tree[name].array(library="np")[entries] for name in ("run", "luminosityBlock", "event")]
    with open(stem + ".entries", "w", encoding="ascii") as out:
        out.writelines(f"{entry}\n" for entry in entries)
    with open(stem + ".ids", "w", encoding="ascii") as out:
        out.writelines(f"{run}:{lumi}:{event}\n" for run, lumi, event in zip(*ids))


if __name__ == "__main__":
    main()
