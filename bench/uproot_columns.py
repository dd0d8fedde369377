#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# uproot reading some columns whole, as NumPy arrays (lists as Awkward arrays), and adding up their values. A line a run.
import json
import resource
import sys
import time

import awkward as ak
import numpy as np
import uproot


def total(array):
    flat = ak.to_numpy(ak.flatten(array)) if isinstance(array, ak.Array) else array
    return float(np.sum(flat, dtype=np.float64))


def main():
    path, columns, runs = sys.argv[1], sys.argv[2].split(","), int(sys.argv[3])
    start = time.perf_counter()
    # Nothing is kept between the runs: each unpacks its baskets.
    tree = uproot.open(path, array_cache=None, object_cache=None)["Events"]
    is_list = {name: tree[name].typename.endswith("[]") for name in columns}
    open_seconds = time.perf_counter() - start
    for _ in range(runs):
        start, cpu = time.perf_counter(), time.process_time()
        value = sum(total(tree[name].array(library="ak" if is_list[name] else "np")) for name in columns)
        print(json.dumps({"peer": "uproot columns", "file": path, "events": tree.num_entries, "sum": value,
                          "open_seconds": open_seconds, "seconds": time.perf_counter() - start,
                          "cpu_seconds": time.process_time() - cpu,
                          "peak_rss_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))


if __name__ == "__main__":
    main()
