#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# uproot listing a tree: open, keys() and typenames(), timed without the import.
import json
import resource
import sys
import time

import uproot


def main():
    path, name = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "Events"
    start = time.perf_counter()
    tree = uproot.open(path)[name]
    opened = time.perf_counter()
    keys = tree.keys()
    types = tree.typenames()
    done = time.perf_counter()
    print(json.dumps({"peer": "uproot keys and typenames", "file": path, "events": len(keys), "types": len(types),
                      "open_seconds": opened - start, "seconds": done - opened,
                      "peak_rss_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))


if __name__ == "__main__":
    main()
