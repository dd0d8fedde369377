# SPDX-License-Identifier: Apache-2.0
# The files that are measured on: what each is made of, and making those that are not there.
import os
import signal
import subprocess
import sys
import time

from driver import rootenv
from driver.rootenv import BENCH, DATA, BenchError

CODECS = {"raw": 0, "zlib": 101, "lzma": 209, "lz4": 404, "zstd": 505}


class DataSet:
    """Files with names(), made by make()."""

    def is_there(self):
        return all((DATA / name).exists() for name in self.names())


class Nano(DataSet):
    """Several codecs of the same events, written in one pass or, to use two processors, in two."""

    def __init__(self, table, events, passes, extra=(), stem=None):
        self.table, self.events, self.passes, self.extra = table, events, passes, list(extra)
        self.stem = stem or f"nano-{table}-{events}"

    def names(self):
        return [self.name(codec) for group in self.passes for codec in group]

    def name(self, codec):
        return f"{self.stem}-{codec}.root"

    def make(self):
        program = rootenv.root_program("gen_nano")
        running = []
        for group in self.passes:
            missing = [codec for codec in group if not (DATA / self.name(codec)).exists()]
            if not missing:
                continue
            argv = [program, "--model", BENCH / "model" / f"{self.table}.tsv", "--events", self.events, *self.extra]
            for codec in missing:
                argv += ["--write", f"{CODECS[codec]}:{self.name(codec)}"]
            running.append(subprocess.Popen([str(w) for w in argv], cwd=DATA, stdout=subprocess.DEVNULL))
        if any([process.wait() for process in running]):
            raise BenchError(f"gen_nano failed for {self.stem}")


class Special(DataSet):
    """One file of gen_special."""

    def __init__(self, kind, n, stem=None):
        self.kind, self.n = kind, n
        self.stem = stem or kind

    def names(self):
        return [f"special-{self.stem}.root"]

    def make(self):
        program = rootenv.root_program("gen_special")
        path = DATA / self.names()[0]
        # The kill of a "killed" one is meant; its file is moved to its name afterwards as it lies.
        part = path.with_suffix(".part")
        status = subprocess.run([program, self.kind, str(self.n), part.name], cwd=DATA, check=False).returncode
        if status != (-signal.SIGKILL if self.kind.startswith("killed") else 0):
            raise BenchError(f"gen_special {self.kind} ended with {status}")
        os.replace(part, path)


class Ntuple(DataSet):
    """A tree of another set as RNTuple, by ROOT's importer. Its UUID and dates differ from run to run."""

    def __init__(self, source, codec, stem, cluster_bytes=0, to="zstd"):
        self.source, self.codec, self.stem, self.cluster_bytes, self.to = source, codec, stem, cluster_bytes, to

    def names(self):
        return [f"{self.stem}.root"]

    def make(self):
        part = DATA / f"{self.stem}.part.root"
        rootenv.run([rootenv.root_program("root_ntuple"), "convert", path(self.source, self.codec), part,
                     "--cluster-bytes", self.cluster_bytes, "--codec", CODECS[self.to]])
        os.replace(part, DATA / self.names()[0])


class Store(DataSet):
    """Events of another set as a store, by the command line. Made again when that is newer: formats grow."""

    def __init__(self, source, codec, stem, options=()):
        self.source, self.codec, self.stem, self.options = source, codec, stem, list(options)

    def names(self):
        return [f"stores/{self.stem}.tagma"]

    def is_there(self):
        target = DATA / self.names()[0]
        return target.exists() and target.stat().st_mtime >= rootenv.tagma().stat().st_mtime

    def make(self):
        (DATA / "stores").mkdir(exist_ok=True)
        rootenv.run([rootenv.tagma(), "convert", "-q", path(self.source, self.codec), "-o", DATA / self.names()[0],
                     *self.options])


# Suffix of a store's set and file, and how it is converted.
STORES = {"": [], "-plain": ["--no-sparse"], "-tiles": ["--columns", "none"]}
TILES = {f"-tiles-{k}": ["--columns", "none", "--tile", str(k)] for k in (1, 64, 65536)}
TILES["-tiles-plain"] = ["--columns", "none", "--no-sparse"]
# The classical layouts, as plain values.
LAYOUTS = {"-collection": ["--layout", "collection"],
           "-collection-zstd": ["--layout", "collection", "--blocks", "64K", "--codec", "zstd"],
           "-collection-lz4": ["--layout", "collection", "--blocks", "64K", "--codec", "lz4"],
           "-collection-zstd-8k": ["--layout", "collection", "--blocks", "8K", "--codec", "zstd"]}
MANY = range(1, 39)

SETS = {
    "data": Nano("data", 200000, [["zstd", "zlib", "raw"], ["lzma"]]),
    "data-10000": Nano("data", 200000, [["zstd"]], ["--cluster", "10000"], "nano-data-200000-cluster-10000"),
    "mc": Nano("mc", 50000, [["zstd", "raw"], ["lzma"]], ["--ids", "mc"]),
    "small": Nano("data", 20000, [["zstd", "zlib", "raw", "lz4", "lzma"]]),
    "data-rntuple": Ntuple("data", "raw", "rntuple-data-200000-zstd"),
    "data-rntuple-small": Ntuple("data", "raw", "rntuple-data-200000-zstd-small-clusters", 2000000),
    "data-rntuple-raw": Ntuple("data", "raw", "rntuple-data-200000-raw", to="raw"),
    "mc-rntuple": Ntuple("mc", "raw", "rntuple-mc-50000-zstd"),
    "mc-rntuple-small": Ntuple("mc", "raw", "rntuple-mc-50000-zstd-small-clusters", 2000000),
    "mc-rntuple-raw": Ntuple("mc", "raw", "rntuple-mc-50000-raw", to="raw"),
    **{f"store-{s}{suffix}": Store(s, "zstd", f"{s}{suffix}", options) for s in ("data", "mc")
       for suffix, options in STORES.items()},
    **{f"store-data{suffix}": Store("data", "zstd", f"data{suffix}", options)
       for suffix, options in {**TILES, **LAYOUTS}.items()},
    # Most of a fixed layout is empty slots: 13 GB of 200,000 events.
    "store-small-fixed": Store("small", "zstd", "small-fixed", ["--layout", "fixed"]),
    **{f"many-{i}": Nano("data", 500, [["zstd"]], ["--seed", i], f"nano-data-500-seed-{i}") for i in MANY},
    **{f"store-many-{i}": Store(f"many-{i}", "zstd", f"many-{i}") for i in MANY},
    "ids": Nano("ids", 2300000, [["zstd"]], ["--repeated", "0.0005", "--cluster", "50000"]),
    "big": Special("big", 21200000),
    **{f"big-basket-{c}": Special(f"big-basket-{c}", 325000) for c in CODECS},
    **{f"clusters-{n}": Special("clusters", n, f"clusters-{n}") for n in (15000, 150000)},
    **{f"uneven-{n}": Special("uneven-clusters", n, f"uneven-{n}") for n in (15000, 150000)},
    "cycles": Special("cycles", 1000),
    **{kind: Special(kind, 10000) for kind in ("killed-saveself", "killed-autosave", "killed-early")},
}


def ensure(*names):
    """Make what is missing of these sets; all of them without a name."""
    for name in names or SETS:
        if name not in SETS:
            raise BenchError(f"no data set '{name}'. There are: {' '.join(SETS)}")
        data_set = SETS[name]
        if data_set.is_there():
            continue
        DATA.mkdir(parents=True, exist_ok=True)
        print(f"making {' '.join(data_set.names())}", file=sys.stderr, flush=True)
        start = time.monotonic()
        data_set.make()
        print(f"  {time.monotonic() - start:.0f} s", file=sys.stderr)


def path(set_name, codec=None):
    ensure(set_name)
    data_set = SETS[set_name]
    return DATA / (data_set.name(codec) if codec else data_set.names()[0])


# Small files for the tests of the reader, committed with the values that ROOT reads from them.
TEST_FILES = [
    ("edge-zstd.root", "gen_edge", ["objects", 505]),
    ("edge-offset-map-zlib.root", "gen_edge", ["vectors-with-offset-map", 101]),
    ("edge-leaves-lzma.root", "gen_edge", ["leaves", 209]),
    ("edge-leaves-lz4.root", "gen_edge", ["leaves", 404]),
    ("cycles.root", "gen_special", ["cycles", 100]),
    ("killed-saveself.root", "gen_special", ["killed-saveself", 200]),
    ("killed-autosave.root", "gen_special", ["killed-autosave", 200]),
    ("killed-early.root", "gen_special", ["killed-early", 200]),
]


def make_test_data(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, program, words in TEST_FILES:
        argv = [rootenv.root_program(program), *map(str, words), name]
        status = subprocess.run(argv, cwd=folder, check=False).returncode
        if status != (-signal.SIGKILL if "killed" in name else 0):
            raise BenchError(f"{' '.join(map(str, argv))} ended with {status}")
    dump = rootenv.run([rootenv.root_program("gen_edge"), "dump", folder / "edge-zstd.root"])
    (folder / "edge.json").write_text(dump, encoding="ascii")
