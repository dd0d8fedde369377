#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Fit the table of names, types and value distributions that gen_nano.cxx draws from to a real NanoAOD file.
"""Usage: fit_model.py NANO.root TABLE.tsv --leaves N [--event-bytes B]

The table is all that is kept of the real file: branch names, types and one histogram a branch. How it reads is told in
README.md, "The value model". The two tables in model/ were made with

  fit_model.py $TAGMA_SHARED/data/root/EGamma_F_Skim.root  model/data.tsv --leaves 1413
  fit_model.py $TAGMA_SHARED/data/root/ttH_M125_2017.root  model/mc.tsv   --leaves 1479 --event-bytes 6300

where a few histograms of 100 events stand for any number of events: that is meant, the files have to weigh and to
compress like NanoAOD, not to be physics.
"""
import argparse
import hashlib
import os

import numpy as np
import uproot

TYPES = {("TLeafO", False): "bool", ("TLeafB", True): "u8", ("TLeafB", False): "i8", ("TLeafS", True): "u16",
         ("TLeafS", False): "i16", ("TLeafI", True): "u32", ("TLeafI", False): "i32", ("TLeafL", True): "u64",
         ("TLeafL", False): "i64", ("TLeafF", False): "f32", ("TLeafD", False): "f64"}
WIDTH = {"bool": 1, "u8": 1, "i8": 1, "u16": 2, "i16": 2, "u32": 4, "i32": 4, "u64": 8, "i64": 8, "f32": 4, "f64": 8}
IDS = ("run", "luminosityBlock", "event")
MOST_CODES = 40  # distinct integers kept one by one, the commonest; where they cover too little, a uniform range is


def unit(name, salt):
    """A number in [0, 1) that depends on the name only: the table is the same whoever makes it."""
    digest = hashlib.sha256(f"{salt}:{name}".encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def values_of(branch):
    a = branch.array(library="np")
    return np.concatenate([np.asarray(x) for x in a]) if a.dtype == object else a


def fit_bool(name, v):
    p = float(v.mean())
    # In 100 events a rare trigger never fires; in 200,000 it does. One silent or always-on path in five gets a rate.
    if p in (0.0, 1.0) and unit(name, "rare") < 0.2:
        rate = 10 ** (-5 + 2.5 * unit(name, "rate"))
        p = rate if p == 0.0 else 1 - rate
    return f"p {p:.3g}" if p not in (0.0, 1.0) else f"= {int(p)}"


def fit_int(v, scale=1.0):
    v = np.rint(v.astype(np.float64) * scale).astype(np.int64) if scale != 1.0 else v.astype(np.int64)
    codes, counts = np.unique(v, return_counts=True)
    if len(codes) == 1:
        return f"= {codes[0]}"
    top = np.sort(np.argsort(-counts, kind="stable")[:MOST_CODES])
    if counts[top].sum() >= 0.6 * len(v):
        return "c " + " ".join(f"{c}:{n}" for c, n in zip(codes[top], counts[top]))
    lo, hi = np.quantile(v, [0.02, 0.98])
    return f"u {int(lo)} {int(hi)}"


def fit_float(v):
    v = v.astype(np.float32)
    v = v[np.isfinite(v)]
    codes, counts = np.unique(v, return_counts=True)
    if len(codes) == 1:
        return f"= {codes[0]:.9g}"
    special = {float(c): int(n) for c, n in zip(codes, counts) if n > 1 and n >= 0.02 * len(v) or c == 0}
    rest = v[~np.isin(v, np.array(list(special), dtype=np.float32))]
    words = [f"{c:.9g}:{n}" for c, n in special.items()]
    if len(rest) == 0:
        return "s " + " ".join(words)
    mantissa = int(np.bitwise_or.reduce(rest.view(np.uint32))) & 0x7FFFFF
    kept = 23 if mantissa == 0 or len(rest) < 4 else 23 - ((mantissa & -mantissa).bit_length() - 1)
    _, exponent = np.frexp(rest)
    for sign in (-1, 1):
        octave, n = np.unique(exponent[np.sign(rest) == sign], return_counts=True)
        words += [f"{'-' if sign < 0 else '+'}e{e}:{k}" for e, k in zip(octave, n)]
    return f"f {max(kept, 2)} {rest.min():.6g} {rest.max():.6g} " + " ".join(words)


def fit(name, kind, is_count, v, scale):
    if len(v) == 0:  # a collection that this sample never fills
        return "= 0"
    if kind == "bool":
        return fit_bool(name, v)
    if kind in ("f32", "f64"):
        return fit_float(v)
    return fit_int(v, scale if is_count else 1.0)


def shape(branch):
    leaf = branch.member("fLeaves")[0]
    count = leaf.member("fLeafCount")
    kind = TYPES[(leaf.classname, bool(leaf.member("fIsUnsigned")))]
    return kind, count.member("fName") if count is not None else "-"


def chosen(branches, arrays, n_leaves):
    """Trigger flags that never fire are dropped, from the last one back, until n_leaves remain."""
    extra = len(branches) - n_leaves
    idle = [b.name for b in branches if b.name.startswith(("HLT_", "L1_")) and len(set(arrays[b.name].tolist())) == 1]
    dropped = set(idle[len(idle) - extra:]) if extra > 0 else set()
    return [b for b in branches if b.name not in dropped]


def count_scale(branches, arrays, want_bytes):
    """What to multiply the counts by for an event of want_bytes."""
    fixed = listed = 0.0
    for b in branches:
        kind, count = shape(b)
        if count == "-":
            fixed += WIDTH[kind]
        else:
            listed += WIDTH[kind] * float(arrays[count].mean())
    return (want_bytes - fixed) / listed if want_bytes else 1.0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("table")
    parser.add_argument("--leaves", type=int, required=True)
    parser.add_argument("--event-bytes", type=float)
    args = parser.parse_args()

    tree = uproot.open(args.file)["Events"]
    arrays = {b.name: values_of(b) for b in tree.branches}
    branches = chosen(tree.branches, arrays, args.leaves)
    counts = {shape(b)[1] for b in branches} - {"-"}
    scale = count_scale(branches, arrays, args.event_bytes)
    with open(args.table, "w", encoding="ascii") as out:
        out.write("# SPDX-License-Identifier: Apache-2.0\n")
        out.write(f"# Fitted by fit_model.py to {os.path.basename(args.file)}; counts times {scale:.4g}.\n")
        out.write("# name\ttype\tcount\tdistribution\n")
        for b in branches:
            kind, count = shape(b)
            spec = "id" if b.name in IDS else fit(b.name, kind, b.name in counts, arrays[b.name], scale)
            out.write(f"{b.name}\t{kind}\t{count}\t{spec}\n")


if __name__ == "__main__":
    main()
