# SPDX-License-Identifier: Apache-2.0
# What is compared with what. Each function measures one table; its first line of text says what the table is about.
import json
import os
import subprocess

from driver import data, rootenv
from driver.alternate import Contestant, Pair, warm
from driver.rootenv import BENCH, BenchError
from driver.table import Table, chosen, random_list, root, tagma

EVENTS = 200000
TWO_COLUMNS = "MET_pt,nMuon"


def table_index(runs):
    """Index of 2,300,000 events in 38 runs: build, bytes, look-up, two threads; beside TTreeIndex."""
    path = data.path("ids", "zstd")
    warm(path)
    ours = Contestant("Tagma index, 3 axes", [rootenv.tagma_program("tagma_index"), path, "--rounds", "3"])
    theirs = Contestant("ROOT TTreeIndex, run and event only", [rootenv.root_program("root_index"), path])
    table = Table("Index of 2,300,000 events", [ours, theirs], 2300000).measure(runs)
    best = {key: min(line[key] for line in ours.lines) for key in
            ("build_seconds", "nanoseconds_each", "cpu_nanoseconds_each", "nanoseconds_of_many", "shared_over_copies",
             "cpu_shared_over_copies")}
    table.number("look-up, random order, ns", best["nanoseconds_each"], "at most", 100)
    table.number("look-up, random order, ns of CPU time", best["cpu_nanoseconds_each"], "at most", 100)
    table.number("look-up of many at once, random order, ns", best["nanoseconds_of_many"], "at most", 100)
    table.number("index section, bytes an event", ours.last["bytes_an_event"], "at most", 6.5)
    table.number("building beyond reading the columns, s", best["build_seconds"], "at most", 2)
    table.number("two threads on one index / on two copies", best["shared_over_copies"], "at most", 1.1)
    table.number("two threads on one index / on two copies, CPU time", best["cpu_shared_over_copies"], "at most", 1.1)
    table.at_most("look-up: Tagma / TTreeIndex", ours, theirs, cpu=False)
    table.number("TTreeIndex: build, s", min(line["build_seconds"] for line in theirs.lines), "", None)
    table.number("TTreeIndex: memory, bytes an event", theirs.last["memory_bytes"] / 2300000, "", None)
    table.notes.append(f"Every id was found with all its entries; {ours.last['absent']:,} absent neighbours were absent. "
                       "TTreeIndex has two axes at most and keeps one entry an id.")
    return [table]


def table_listing(runs):
    """Listing of a tree with 1,601 branches: the whole process, and uproot and ROOT beside it."""
    path = rootenv.SHARED / "data" / "root" / "nano_dimuon.root"
    if not path.exists():
        raise BenchError(f"{path} is not there (TAGMA_SHARED)")
    script = BENCH / "root_names.C"
    ours = Contestant("tagma ls -l", [rootenv.tagma(), "ls", "-l", path], whole=True)
    uproot = Contestant("uproot: open, keys, typenames (no import)",
                        [rootenv.python(), BENCH / "uproot_names.py", path], add_open=True)
    bare = Contestant("uproot: keys, typenames only", uproot.argv)
    interpreted = Contestant("ROOT script, whole process",
                             [rootenv.rootsys() / "bin" / "root.exe", "-l", "-b", "-q", f'{script}("{path}")'],
                             whole=True)
    compiled = Contestant("ROOT compiled, open and list", root("names", path)[0])
    table = Table("Listing 1,601 branches", [ours, uproot, bare, interpreted, compiled]).measure(max(runs, 5))
    table.number("tagma ls -l, whole process, ms", ours.best * 1e3, "at most", 20)
    table.at_most("tagma ls -l / uproot open, keys and typenames", ours, uproot, 0.05, cpu=False)
    table.at_most("tagma ls -l / uproot keys and typenames of an open tree", ours, bare, cpu=False)
    table.at_most("tagma ls -l / ROOT script", ours, interpreted, 0.1)
    return [table]


def table_idlist(runs):
    """Reading lists of 100,000 event ids, in each form; beside it what counting the lines costs."""
    program = rootenv.tagma_program("idlist_bench")
    forms = [line["form"] for line in map(json.loads, rootenv.run([program]).splitlines())]
    contestants = [Contestant(form, [program, "--form", form]) for form in forms]
    table = Table("Lists of 100,000 lines", contestants, 100000).measure(runs)
    for form in contestants:
        table.number(f"{form.name}: ms ({form.last['ids']:,} ids)", form.best * 1e3, "at most", 50)
    slowest = max(contestants, key=lambda form: form.best)
    table.number("the slowest form / counting its lines", slowest.best / slowest.last["ceiling_seconds"], "")
    return [table]


FULL_BOUNDS = {"lzma": 0.8, "zstd": 0.2, "zlib": 0.25, "raw": 0.15}


def table_full(runs, codecs=tuple(FULL_BOUNDS)):
    """Full read of every branch, one thread, against ROOT's GetEntry loop, by codec."""
    tables = []
    for codec, bound in chosen(FULL_BOUNDS, codecs):
        path = data.path("data", codec)
        warm(path)
        loop = Contestant("ROOT GetEntry loop", root("events", path)[0])
        check = Contestant("Tagma check", tagma(path, "--mode", "check"))
        read = Contestant("Tagma read_columns, all", tagma(path))
        command = Contestant("tagma check -j 1, whole process", [rootenv.tagma(), "check", "-q", "-j", "1", path],
                             whole=True)
        wall = Contestant("ceiling: codec library and byte swap", [rootenv.ceiling(), path])
        table = Table(f"Full read, {codec}", [loop, check, read, command, wall], EVENTS).measure(runs)
        table.at_most(f"{codec}: check / GetEntry loop", check, loop, bound)
        table.at_most(f"{codec}: tagma check -j 1 (whole process) / GetEntry loop", command, loop, bound)
        table.at_most(f"{codec}: read_columns of all / GetEntry loop", read, loop)
        table.at_most(f"{codec}: check / ceiling", check, wall)
        tables.append(table)
    for table in tables:
        if table.title.endswith("lzma"):
            table.notes.append("Debian's liblzma 5.4 decodes a third slower than the one inside ROOT.")
    return tables


def table_columns(runs, codecs=("zstd", "lzma")):
    """Two columns, one thread: read_columns against RDataFrame (with open) and TBranch::GetEntry (without)."""
    tables = []
    for codec in codecs:
        path = data.path("data", codec)
        warm(path)
        frame = [rootenv.root_program("root_rdf"), path, "--columns", TWO_COLUMNS, "--runs", "3"]
        ours = tagma(path, "--columns", TWO_COLUMNS)
        opened = Contestant("Tagma, with open", ours, add_open=True)
        plain = Contestant("Tagma", ours)
        first = Contestant("RDataFrame, first run, with open", frame, {"peer": "ROOT RDataFrame, first run"})
        later = Contestant("RDataFrame, later run", frame, {"peer": "ROOT RDataFrame, later run"})
        branch = Contestant("TBranch::GetEntry", root("columns", path, "--columns", TWO_COLUMNS)[0])
        reader = Contestant("TTreeReader", root("reader", path, "--columns", TWO_COLUMNS)[0])
        table = Table(f"Two columns ({TWO_COLUMNS}), {codec}", [opened, first, plain, branch, reader, later], EVENTS)
        table.measure(3 * runs)  # of milliseconds each
        bound = 0.4 if codec == "zstd" else None
        table.at_most(f"{codec}: Tagma / RDataFrame, both with open", opened, first, bound)
        table.at_most(f"{codec}: Tagma / TBranch::GetEntry, both without", plain, branch, bound)
        table.at_most(f"{codec}: Tagma / TTreeReader, both without", plain, reader)
        table.at_most(f"{codec}: Tagma / RDataFrame's later run", plain, later)
        if abs(plain.last["sum"] - branch.last["sum"]) > 1e-9 * abs(branch.last["sum"]):
            raise BenchError(f"sums differ: {plain.last['sum']} and {branch.last['sum']}")
        tables.append(table)
    return tables


THREAD_BOUNDS = {"zstd": 0.9, "lzma": 0.9, "zlib": 0.9, "raw": None}


def table_threads(runs, codecs=tuple(THREAD_BOUNDS)):
    """Two threads on one file against two independent processes of the same work; open not counted."""
    tables = []
    for codec, bound in chosen(THREAD_BOUNDS, codecs):
        path = data.path("data", codec)
        warm(path)
        one = Contestant("one thread", tagma(path))
        two = Contestant("two threads", tagma(path, "--threads", "2"))
        pair = Pair("two processes, each all of it", tagma(path))
        table = Table(f"Two threads, {codec}", [one, two, pair], EVENTS).measure(runs)
        threads, processes = one.best / two.best, 2 * one.best / pair.best
        table.number(f"{codec}: speed-up by two threads", threads, "")
        table.number(f"{codec}: speed-up by two processes", processes, "")
        table.number(f"{codec}: threads' speed-up / processes'", threads / processes, "at least", bound)
        tables.append(table)
    return tables


SUBSAMPLE = 100
PICK_BOUNDS = {"zstd": (40, 4), "lzma": (12, 1.3), "raw": (None, None)}


def table_pick(runs, codecs=tuple(PICK_BOUNDS)):
    """2,000 random whole events of 200,000, index built in the same run, two threads, against GetEntry over the list."""
    tables = []
    for codec, (in_order, by_sorted) in chosen(PICK_BOUNDS, codecs):
        path = data.path("data", codec)
        entries, ids = random_list("data", codec)
        warm(path)
        ours = Contestant("Tagma, index and 2,000 rows, -j 2",
                          [rootenv.tagma_program("tagma_pick"), path, "--list", ids, "--threads", "2"], add_open=True)
        alone = Contestant("the same, -j 1",
                           [rootenv.tagma_program("tagma_pick"), path, "--list", ids], add_open=True)
        command = Contestant("tagma pick -f jsonl >/dev/null -j 2, whole process",
                             [rootenv.tagma(), "pick", "-q", "--no-sidecar", "-f", "jsonl", "-j", "2", path, "-e", ids],
                             whole=True)
        part = {"scale": 2000 / SUBSAMPLE, "add_open": False}
        listed = Contestant(f"GetEntry, list order (first {SUBSAMPLE}, times {2000 // SUBSAMPLE})",
                            root("list", path, "--list", entries, "--limit", SUBSAMPLE)[0], **part)
        uncached = Contestant(f"GetEntry, list order, cache off (first {SUBSAMPLE}, times {2000 // SUBSAMPLE})",
                              root("list", path, "--list", entries, "--limit", SUBSAMPLE, "--cache", "off")[0], **part)
        ordered = Contestant("GetEntry, sorted list",
                             root("list", path, "--list", entries, "--order", "sorted")[0], add_open=True)
        plain = Contestant("GetEntry, sorted list, cache off",
                           root("list", path, "--list", entries, "--order", "sorted", "--cache", "off")[0],
                           add_open=True)
        table = Table(f"2,000 random events, {codec}", [ours, alone, command, listed, uncached, ordered, plain], 2000)
        table.measure(runs)
        table.at_least(f"{codec}: times faster than GetEntry in list order", listed, ours, in_order)
        table.at_least(f"{codec}: times faster than GetEntry over the sorted list", ordered, ours, by_sorted)
        table.at_least(f"{codec}: times faster than GetEntry in list order, cache off", uncached, ours)
        table.at_least(f"{codec}: times faster than GetEntry, sorted, cache off", plain, ours)
        again = ours.last["baskets"] - ours.last["distinct_baskets"]
        table.number(f"{codec}: baskets unpacked more than once", again, "at most", 0)
        table.number(f"{codec}: peak memory in the context, MB", ours.last["ctx_peak_bytes"] / 1e6, "at most", 1073.7)
        tables.append(table)
    return tables


def table_rntuple(runs):
    """For orientation: RNTuple of the same events, whole, by list and by column, beside the TTree's ways."""
    tree, wide, narrow = data.path("data", "zstd"), data.path("data-rntuple"), data.path("data-rntuple-small")
    entries, _ = random_list("data", "zstd")
    warm(tree, wide, narrow)
    program = rootenv.root_program("root_ntuple")
    whole = [Contestant("TTree, GetEntry loop", root("events", tree)[0]),
             Contestant("RNTuple, LoadEntry loop", [program, "events", wide, "--shape", "collections"])]
    by_list = [Contestant(name, [program, "list", path, "--list", entries, "--shape", "collections", "--order", order, "--limit", n],
                          scale=2000 / n)
               for name, path, order, n in (("RNTuple, sorted list", wide, "sorted", 2000),
                                            ("RNTuple, small clusters, sorted list", narrow, "sorted", 2000),
                                            ("RNTuple, list order (first 20, times 100)", wide, "asked", 20),
                                            ("RNTuple, small clusters, list order (first 20, times 100)", narrow,
                                             "asked", 20))]
    columns = [Contestant("TTree, RDataFrame, later run",
                          [rootenv.root_program("root_rdf"), tree, "--columns", "MET_pt,PV_npvs", "--runs", "3"],
                          {"peer": "ROOT RDataFrame, later run"})]
    columns += [Contestant(f"RNTuple, {way}", [program, "columns", wide, "--columns", "MET_pt,PV_npvs", "--way", way])
                for way in ("views", "direct", "bulk")]
    return [Table("RNTuple: whole events", whole, EVENTS).measure(runs),
            Table("RNTuple: 2,000 random events", by_list, 2000).measure(runs),
            Table("RNTuple: two columns (MET_pt,PV_npvs)", columns, EVENTS).measure(runs)]


SPECIAL = {"big": 21200000, "big-basket-raw": 325000, "big-basket-zlib": 325000, "big-basket-lzma": 325000,
           "big-basket-lz4": 325000, "big-basket-zstd": 325000, "clusters-15000": 30000, "clusters-150000": 300000,
           "uneven-15000": 30000, "uneven-150000": 300000, "cycles:Events;1": 1000, "cycles:Events;2": 2000,
           "cycles:Events;3": 3000, "cycles:other;1": 10, "cycles:other;2": 20, "killed-saveself": 5000,
           "killed-autosave": 5000}


def special_tree(name):
    """FILE, or FILE:TREE;CYCLE."""
    data_set, colon, tree = name.partition(":")
    return f"{data.path(data_set)}{colon}{tree}"


def words_of_check(name):
    """The first line that `tagma check` has to say about a file whose writer was killed."""
    done = subprocess.run([rootenv.tagma(), "check", data.path(name)], capture_output=True, text=True, check=False)
    if done.returncode != 2 or "was never closed" not in done.stderr + done.stdout:
        raise BenchError(f"{name}: check ended with {done.returncode}: {done.stdout}{done.stderr}")
    return (done.stderr + done.stdout).splitlines()[0].replace(str(rootenv.DATA) + os.sep, "")


def table_special(runs):
    """Large, many-clustered, cycled and killed files: every value compared with its formula; time a cluster."""
    program = rootenv.tagma_program("tagma_special")
    read = Table("Special files, every value compared with its formula",
                 [Contestant(name, [program, special_tree(name), "--entries", n]) for name, n in SPECIAL.items()])
    read.measure(1)
    read.notes += [f"{name}: `{words_of_check(name)}`" for name in ("killed-saveself", "killed-autosave", "killed-early")]
    tables = [read]
    for kind in ("clusters", "uneven"):
        few, many = (Contestant(f"{kind}-{n}", [program, data.path(f"{kind}-{n}"), "--entries", 2 * n],
                                field="nanoseconds_a_cluster") for n in (15000, 150000))
        table = Table(f"Time a cluster, {kind} (open counted)", [few, many]).measure(runs)
        for contestant in (few, many):
            contestant.unit = "ns a cluster"
        table.at_most(f"{kind}: 150,000 clusters / 15,000 clusters", many, few, 1.3, cpu=False)
        tables.append(table)
    return tables


TABLES = {name.removeprefix("table_"): function for name, function in list(globals().items())
          if name.startswith("table_")}
