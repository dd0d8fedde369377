# SPDX-License-Identifier: Apache-2.0
# The tables of the store: what is compared with what. As in tables.py, a function a table.
import shlex

from driver import data, rootenv
from driver.alternate import Contestant, Pair, warm
from driver.rootenv import BENCH, BenchError
from driver.table import Table, chosen, random_list, root, tagma

EVENTS = {"data": 200000, "mc": 50000}
LIST = 2000  # events of the lists that the peers are given
CHECKED = 20  # events of a list whose values every reader digests


def store(name):
    path = data.path(f"store-{name}")
    warm(path)
    return path


def events(*words):
    return [rootenv.tagma_program("tagma_event"), *words]


def ntuple(*words):
    return [rootenv.root_program("root_ntuple"), *words]


def warm_sets(*sets):
    paths = [data.path(*words) for words in sets]
    warm(*paths)
    return paths


def line_of(argv):
    contestant = Contestant(argv[0], argv)
    contestant.measure()
    return contestant.last


def same_values(entries, **readers):
    """Every reader's digest of the list's first events; all must be one. Returns a note."""
    words = ["--list", entries, "--limit", CHECKED]
    lines = {name: line_of([*argv, *words]) for name, argv in readers.items()}
    first = next(iter(lines.values()))
    for name, line in lines.items():
        if (line["digest"], line["check_value_bytes"]) != (first["digest"], first["check_value_bytes"]):
            raise BenchError(f"{name} delivers other values: {line['digest']}, {first['digest']}")
    return (f"All {first['check_value_bytes']:,} bytes of values of {CHECKED} events of the list are the same from "
            f"{', '.join(readers)} (digest {first['digest']}).")


def digests(kind, path, tree, packed):
    """The readers of one comparison, as same_values() takes them."""
    return {kind: events(path, "--check", CHECKED, "--passes", 1), "ROOT": root("digest", tree)[0],
            "RNTuple": ntuple("digest", packed, "--shape", "collections")}


# us an event: default by pread and mapped, --no-sparse by pread and mapped; times faster than GetEntry in list order, over
# the sorted list, RNTuple over the sorted list.
EVENT_BOUNDS = {"data": (3.1, 2.8, 2.5, 2.3, 5000, 500, 50), "mc": (6, 5.5, 5, 4.8, 3000, 90, 15)}


def event_table(kind, runs):
    n_long = min(100000, EVENTS[kind])
    entries, _ = random_list(kind, "zstd")
    many, _ = random_list(kind, "zstd", n_long)
    sparse, plain = store(kind), store(f"{kind}-plain")
    tree, wide, narrow = warm_sets((kind, "zstd"), (f"{kind}-rntuple",), (f"{kind}-rntuple-small",))
    long_list = {"events": n_long}
    ours = [Contestant(name, events(path, "--list", many, "--io", io), **long_list)
            for path, words in ((sparse, ""), (plain, "--no-sparse, "))
            for name, io in ((f"store, {words}pread", "pread"), (f"store, {words}mapped", "mmap"))]
    ordered = Contestant("store, pread, the same list sorted", events(sparse, "--list", many, "--order", "sorted"),
                         **long_list)
    short = [Contestant("store, pread, the peers' list", events(sparse, "--list", entries), events=LIST),
             Contestant("store, pread, the peers' list sorted", events(sparse, "--list", entries, "--order", "sorted"),
                        events=LIST),
             Contestant("store, pread, the peers' list, first pass of a process",
                        events(sparse, "--list", entries, "--passes", "1"), events=LIST)]
    part = {"events": 100}
    listed = Contestant("GetEntry, list order (first 100)",
                        root("list", tree, "--list", entries, "--limit", 100)[0], **part)
    uncached = Contestant("GetEntry, list order, cache off (first 100)",
                          root("list", tree, "--list", entries, "--limit", 100, "--cache", "off")[0], **part)
    virtual = Contestant("GetEntry, list order, every basket kept (SetMaxVirtualSize 8 GB)",
                         root("list", tree, "--list", entries, "--virtual", 8000000000)[0], events=LIST, rounds=2)
    by_sorted = Contestant("GetEntry, sorted list", root("list", tree, "--list", entries, "--order", "sorted")[0],
                           events=LIST, rounds=3)
    packed = [Contestant(name, ntuple("list", path, "--list", entries, "--shape", shape, "--order", order, "--limit", n),
                         events=n)
              for name, path, shape, order, n in (
                  ("RNTuple, sorted list", wide, "collections", "sorted", LIST),
                  ("RNTuple, branch by branch, sorted list", wide, "columns", "sorted", LIST),
                  ("RNTuple, small clusters, sorted list", narrow, "collections", "sorted", LIST),
                  ("RNTuple, list order (first 20)", wide, "collections", "asked", 20),
                  ("RNTuple, small clusters, list order (first 20)", narrow, "collections", "asked", 20))]
    table = Table(f"Random whole events, {kind}: times of one event",
                  [*ours, ordered, *short, listed, uncached, virtual, by_sorted, *packed])
    table.notes.append(same_values(entries, **digests("store", sparse, tree, wide)))
    table.notes.append(f"Lists: {n_long:,} different events of {EVENTS[kind]:,}; the peers' {LIST:,}.")
    table.measure(runs)
    bounds = EVENT_BOUNDS[kind]
    for contestant, bound in zip(ours, bounds):
        table.number(f"{kind}: {contestant.name}, us", contestant.best * 1e6, "at most", bound)
    table.number(f"{kind}: requests an event", ours[0].last["requests"] / n_long, "at most", 1.001)
    table.at_least(f"{kind}: times faster than GetEntry in list order", listed, ours[0], bounds[4])
    table.at_least(f"{kind}: than GetEntry over the sorted list", by_sorted, ours[0], bounds[5])
    best = min(packed[:3], key=lambda contestant: contestant.best)
    table.at_least(f"{kind}: than RNTuple over the sorted list, the fastest of its ways", best, ours[0], bounds[6])
    table.at_least(f"{kind}: than GetEntry in list order, every basket kept", virtual, ours[0])
    table.at_least(f"{kind}: first pass of a process, than GetEntry in list order", listed, short[2])
    table.at_least(f"{kind}: first pass of a process, than RNTuple over the sorted list", best, short[2])
    table.at_most(f"{kind}: list order / sorted, {LIST:,} events", short[0], short[1], 1.5)
    table.at_most(f"{kind}: list order / sorted, {n_long:,} events, whose neighbours share tiles", ours[0], ordered)
    return table


def event_formats(runs):
    """The same list on other files of the same events; the store does not know what it was made from."""
    entries, _ = random_list("data", "zstd")
    ours = Contestant("store, pread", events(store("data"), "--list", entries), events=LIST)
    table = Table("Random whole events, data: other files", [ours])
    for name, path, part in (("uncompressed", data.path("data", "raw"), 100), ("LZMA", data.path("data", "lzma"), 20),
                             ("ZSTD, clusters of 10,000", data.path("data-10000", "zstd"), 20)):
        warm(path)
        slow = name != "uncompressed"
        listed = Contestant(f"{name}: GetEntry, list order (first {part})",
                            root("list", path, "--list", entries, "--limit", part)[0], events=part, rounds=2 if slow else 3)
        ordered = Contestant(f"{name}: GetEntry, sorted list",
                             root("list", path, "--list", entries, "--order", "sorted")[0], events=LIST, rounds=1 if slow else 3)
        table.contestants += [listed, ordered]
    raw = data.path("data-rntuple-raw")
    warm(raw)
    table.contestants.append(Contestant("uncompressed: RNTuple, sorted list",
                                        ntuple("list", raw, "--list", entries, "--shape", "collections", "--order", "sorted"),
                                        events=LIST, rounds=3))
    table.measure(runs)
    for contestant in table.contestants[1:]:
        table.at_least(f"times faster than {contestant.name}", contestant, ours)
    return table


def event_ids(runs):
    """Event id to event, by one thread, by two threads on one store, by two processes."""
    n = 100000
    many, _ = random_list("data", "zstd", n)
    argv = events(store("data"), "--list", many, "--ids", "1", "--passes", "5")
    words = {"events": n, "field": "mean_seconds"}
    one = Contestant("find and read_event, one thread", argv, **words)
    two = Contestant("two threads, each the whole list", [*argv, "--threads", "2"], **words)
    pair = Pair("two processes, each the whole list", argv, **words)
    mapped = Contestant("find and read_event, mapped", [*argv, "--io", "mmap"], **words)
    table = Table("Event id to event, data", [one, two, pair, mapped]).measure(runs)
    table.number("find and read_event, us", one.best * 1e6, "at most", 3.4)
    table.number("speed-up by two threads", 2 * one.best / two.best, "")
    table.number("speed-up by two processes", 2 * one.best / pair.best, "")
    table.number("threads' speed-up / processes'", pair.best / two.best, "at least", 0.9)
    table.notes.append(f"{n:,} different ids of {EVENTS['data']:,} in random order; each leads to its entry. "
                       "Mean of five passes, so that the two of a pair run at the same time.")
    return table


EVENT_PARTS = {"data": lambda runs: event_table("data", runs), "mc": lambda runs: event_table("mc", runs),
               "formats": event_formats, "ids": event_ids}


def table_event(runs, parts=tuple(EVENT_PARTS)):
    """Random whole events of a store, by entry and by id, against GetEntry and RNTuple over the same list."""
    return [measure(runs) for _, measure in chosen(EVENT_PARTS, parts)]


# us an event; times faster than the GetEntry loop, than RNTuple's full read
WHOLE_BOUNDS = {"data": (1.5, 30, 12), "mc": (None, 15, 7)}


def table_wholescan(runs, kinds=tuple(WHOLE_BOUNDS)):
    """A whole store delivered, against the GetEntry loop and RNTuple's full read."""
    tables = []
    for kind, (most, by_loop, by_ntuple) in chosen(WHOLE_BOUNDS, kinds):
        n = {"events": EVENTS[kind]}
        sparse, plain = store(kind), store(f"{kind}-plain")
        tree, wide, raw = warm_sets((kind, "zstd"), (f"{kind}-rntuple",), (f"{kind}-rntuple-raw",))
        entries, _ = random_list(kind, "zstd")
        one = Contestant("store, read_event, pread", events(sparse), **n)
        mapped = Contestant("store, read_event, mapped", events(sparse, "--io", "mmap"), **n)
        without = Contestant("store, --no-sparse, read_event, pread", events(plain), **n)
        batches = Contestant("store, read_columns of all", tagma(sparse, "--passes", "3", "--batch", "1024"), **n)
        loop = Contestant("GetEntry loop, ZSTD", root("events", tree)[0], **n)
        fields = [Contestant(name, ntuple("events", path, "--shape", shape), **n)
                  for name, path, shape in (("RNTuple, every value once", wide, "collections"),
                                            ("RNTuple, as opened (lists twice)", wide, "all"),
                                            ("RNTuple uncompressed, every value once", raw, "collections"))]
        fields.append(Contestant("RNTuple, bulk reads cluster by cluster, added up", ntuple("columns", wide), **n))
        table = Table(f"Whole file delivered, {kind}: times of one event",
                      [one, mapped, without, batches, loop, *fields])
        table.notes.append(same_values(entries, **digests("store", sparse, tree, wide)))
        table.measure(runs)
        table.number(f"{kind}: store, us an event", one.best * 1e6, "at most", most)
        table.at_least(f"{kind}: times faster than the GetEntry loop", loop, one, by_loop)
        best = min((fields[0], fields[3]), key=lambda way: way.best)
        table.at_least(f"{kind}: than RNTuple's full read, the fastest of its ways", best, one, by_ntuple)
        table.at_least(f"{kind}: than RNTuple's full read as opened", fields[1], one, by_ntuple)
        table.at_least(f"{kind}: than RNTuple's full read, every value once", fields[0], one)
        table.at_least(f"{kind}: read_columns, than the GetEntry loop", loop, batches)
        tables.append(table)
    return tables


# All of these are in the columns section that is written by default.
EIGHT = "MET_pt,MET_phi,PuppiMET_pt,PuppiMET_phi,PV_npvs,nMuon,nJet,HLT_IsoMu24"
MORE = ("CaloMET_pt,CaloMET_phi,ChsMET_pt,ChsMET_phi,RawMET_pt,RawMET_phi,RawPuppiMET_pt,RawPuppiMET_phi,TkMET_pt,TkMET_phi,"
        "DeepMETResolutionTune_pt,DeepMETResolutionTune_phi,DeepMETResponseTune_pt,DeepMETResponseTune_phi,nElectron,nFatJet,"
        "nPhoton,nTau,nSV,nIsoTrack,nSubJet,nLowPtElectron,nOtherPV,nTrigObj,nFsrPhoton,nSoftActivityJet,PV_npvsGood,"
        "SoftActivityJetNjets2,SoftActivityJetNjets5,SoftActivityJetNjets10,bunchCrossing,HLT_IsoMu27,HLT_Ele32_WPTight_Gsf,"
        "HLT_Mu50,HLT_Photon200,HLT_PFHT1050")
SCANS = {"1": "MET_pt", "2": "MET_pt,PV_npvs", "8": EIGHT, "44": f"{EIGHT},{MORE}", "Muon_pt": "Muon_pt"}
# Times faster than RDataFrame from tiles, from the columns section; than RNTuple's fastest way.
SCAN_BOUNDS = {"1": (25, 50, 3), "2": (25, 50, 3), "8": (25, 50, 3), "44": (25, 40, 3), "Muon_pt": (25, 50, None),
               "cut": (None, None, None)}


def scan_table(name, bounds, runs):
    columns, n = SCANS[name], {"events": EVENTS["data"]}
    tree, wide, raw = warm_sets(("data", "zstd"), ("data-rntuple",), ("data-rntuple-raw",))
    words = ("--columns", columns, "--passes", "3", "--batch", "8192")  # the entries of an RNTuple bulk, too
    with_open = {"field": "first_seconds", "add_open": True, **n}
    tiles = Contestant("store, from tiles, mapped", tagma(store("data-tiles"), *words, "--io", "mmap"), **n)
    copied = Contestant("store, from tiles, pread (all of each tile is read)", tagma(store("data-tiles"), *words), **n)
    section = Contestant("store, from the columns section", tagma(store("data"), *words), **n)
    mapped = Contestant("store, from the columns section, mapped", tagma(store("data"), *words, "--io", "mmap"), **n)
    once = [Contestant(f"{each.name}: with open, first pass", each.argv, **with_open) for each in (tiles, section)]
    frames = [rootenv.root_program("root_rdf"), tree, "--columns", columns, "--frames", "2", "--runs", "3"]
    frame = Contestant("RDataFrame, later run of a frame", frames, {"peer": "ROOT RDataFrame, later run"}, **n)
    fresh = Contestant("RDataFrame, second frame of a process, with open", frames, {"peer": "ROOT RDataFrame, new frame"}, **n)
    reader = Contestant("TTreeReader", root("reader", tree, "--columns", columns, "--runs", "3")[0], **n)
    ways = [Contestant(f"RNTuple, {way}", ntuple("columns", wide, "--columns", columns, "--way", way, "--runs", "3"), **n)
            for way in ("views", "direct", "bulk")]
    flat = Contestant("RNTuple uncompressed, bulk",
                      ntuple("columns", raw, "--columns", columns, "--way", "bulk", "--runs", "3"), **n)
    python = Contestant("uproot", [rootenv.python(), BENCH / "uproot_columns.py", tree, columns, "3"], **n, rounds=3)
    what = name if name == "Muon_pt" else f"{name} scalar{'s' if name != '1' else ''}"
    table = Table(f"Scan of {what}, data: times of one event",
                  [tiles, copied, section, mapped, *once, frame, fresh, reader, *ways, flat, python]).measure(runs)
    for other in table.contestants[1:]:
        if abs(other.last["sum"] - tiles.last["sum"]) > 1e-9 * abs(tiles.last["sum"]):
            raise BenchError(f"sums differ: {other.name} {other.last['sum']}, {tiles.name} {tiles.last['sum']}")
    best = min(ways, key=lambda way: way.best)
    table.at_least(f"{what}: from tiles, times faster than RDataFrame's later run", frame, tiles, bounds[0])
    table.at_least(f"{what}: from tiles, than RDataFrame's second frame, both with open", fresh, once[0], bounds[0])
    table.at_least(f"{what}: from the columns section, than RDataFrame's later run", frame, section, bounds[1])
    table.at_least(f"{what}: from the columns section, than RDataFrame's second frame, both with open", fresh, once[1], bounds[1])
    table.at_least(f"{what}: from the columns section, than {best.name}", best, section, bounds[2])
    table.at_least(f"{what}: from tiles, than {best.name}", best, tiles)
    table.at_least(f"{what}: from the columns section, than RNTuple uncompressed, bulk", flat, section)
    table.at_least(f"{what}: from the columns section, than TTreeReader", reader, section)
    table.at_least(f"{what}: from the columns section, than uproot", python, section)
    table.notes.append("Best of three passes in each process, the same for all; all sums equal to 1e-9.")
    return table


def cut_table(runs):
    """The cut in a C program over read_columns; count and histogram must be RDataFrame's, bin by bin."""
    n = {"events": EVENTS["data"]}
    tree, = warm_sets(("data", "zstd"))
    program = rootenv.tagma_program("tagma_cut")
    ours = [Contestant(f"store, {name}", [program, store(path), "--passes", "3", "--batch", "8192", "--io", io], **n)
            for name, path, io in (("from the columns section", "data", "pread"),
                                   ("from tiles, mapped", "data-tiles", "mmap"))]
    frame = Contestant("RDataFrame, later run", [rootenv.root_program("root_rdf"), tree, "--cut", "1", "--runs", "3"],
                       {"peer": "ROOT RDataFrame, later run"}, **n)
    table = Table("MET_pt > 100 && nMuon >= 1 with a histogram, data: times of one event", [*ours, frame]).measure(runs)
    for contestant in ours:
        for key in ("passed", "bins"):
            if contestant.last[key] != frame.last[key]:
                raise BenchError(f"{key} differ: {contestant.name} {contestant.last[key]}, RDataFrame {frame.last[key]}")
        table.at_least(f"cut, {contestant.name}: times faster than RDataFrame", frame, contestant)
    table.notes.append(f"{frame.last['passed']:,} events pass; count and all {frame.last['bins'].count(',') + 1} bins are "
                       "the same from all three.")
    return table


def table_scan(runs, names=tuple(SCAN_BOUNDS)):
    """Some columns of a store, from tiles and from the columns section, against RDataFrame, TTreeReader, RNTuple, uproot."""
    return [cut_table(runs) if name == "cut" else scan_table(name, bounds, runs)
            for name, bounds in chosen(SCAN_BOUNDS, names)]


SIZE_BOUNDS = {"data": 0.75, "mc": 1.0}


def table_storesize(_runs, kinds=tuple(SIZE_BOUNDS)):
    """Bytes of stores beside ROOT's LZMA-9 file and RNTuple."""
    tables = []
    for kind, bound in chosen(SIZE_BOUNDS, kinds):
        def size(path):
            return path.stat().st_size / EVENTS[kind]
        lzma = size(data.path(kind, "lzma"))
        table = Table(f"Bytes an event, {kind}", [])
        for name, path in (("ROOT, LZMA-9", data.path(kind, "lzma")), ("ROOT, ZSTD", data.path(kind, "zstd")),
                           ("ROOT, uncompressed", data.path(kind, "raw")),
                           ("RNTuple, ZSTD", data.path(f"{kind}-rntuple")),
                           ("RNTuple, ZSTD, small clusters", data.path(f"{kind}-rntuple-small")),
                           *((f"store {' '.join(options)}".rstrip(), store(kind + suffix))
                             for suffix, options in data.STORES.items())):
            table.number(f"{kind}: {name}", size(path), "")
        table.number(f"{kind}: store / LZMA-9", size(store(kind)) / lzma, "at most", bound)
        table.number(f"{kind}: store --columns none / LZMA-9", size(store(f"{kind}-tiles")) / lzma, "")
        table.number(f"{kind}: store / RNTuple ZSTD", size(store(kind)) / size(data.path(f"{kind}-rntuple")), "")
        table.notes.append("Index section included.")
        tables.append(table)
    return tables


def convert_argv(path, threads, *options):
    """A conversion whose output is removed; several may run at once."""
    words = " ".join(shlex.quote(str(word)) for word in
                     [rootenv.tagma(), "convert", path, "-j", threads, *options])
    folder = shlex.quote(str(rootenv.DATA / "stores"))
    return ["sh", "-c", f"out={folder}/convert-$$.tagma; {words} -o $out; status=$?; rm -f $out; exit $status"]


# Conversion over one pass of GetEntry.
CONVERT_BOUNDS = {"data-zstd": 0.9, "data-lzma": 1.2, "mc-zstd": 1.4, "mc-lzma": 1.6, "threads": None}


def table_convert(runs, parts=tuple(CONVERT_BOUNDS)):
    """Conversion against one GetEntry pass over the same file; two threads against two processes."""
    (rootenv.DATA / "stores").mkdir(exist_ok=True)
    return [convert_threads(runs) if part == "threads" else convert_table(*part.split("-"), bound, runs)
            for part, bound in chosen(CONVERT_BOUNDS, parts)]


def convert_table(kind, codec, bound, runs):
    path, = warm_sets((kind, codec))
    n = {"events": EVENTS[kind]}
    ours = Contestant("tagma convert -j 1, whole process", convert_argv(path, 1), whole=True, **n)
    loop = Contestant("GetEntry loop", root("events", path)[0], **n, rounds=2 if codec == "lzma" else 3)
    table = Table(f"Conversion, {kind}, {codec}: times of one event", [ours, loop]).measure(runs)
    table.at_most(f"{kind}, {codec}: conversion / GetEntry loop", ours, loop, bound)
    peak = max(line["process_peak_bytes"] for line in ours.lines)
    table.number(f"{kind}, {codec}: peak memory, MB", peak / 1e6, "at most", 400)
    return table


def convert_threads(runs):
    path, = warm_sets(("data", "zstd"))
    words = {"whole": True, "less": r"syncing ([0-9.]+)"}
    one = Contestant("one thread", convert_argv(path, 1), **words)
    two = Contestant("two threads", convert_argv(path, 2), **words)
    pair = Pair("two processes, each all of it", convert_argv(path, 1), **words)
    table = Table("Conversion, two threads, data, zstd", [one, two, pair], EVENTS["data"]).measure(runs)
    threads, processes = one.best / two.best, 2 * one.best / pair.best
    table.number("speed-up by two threads", threads, "")
    table.number("speed-up by two processes", processes, "")
    table.number("threads' speed-up / processes'", threads / processes, "at least", 0.9)
    table.notes.append("The final sync is not counted.")
    return table


def table_storeopen(runs):
    """From process start to a store's first event; 38 stores with one schema."""
    program = rootenv.tagma_program("tagma_first")
    tree, wide, narrow = warm_sets(("data", "zstd"), ("data-rntuple",), ("data-rntuple-small",))
    data.ensure(*(f"store-many-{i}" for i in data.MANY))
    shards = [store(f"many-{i}") for i in data.MANY]
    first = [Contestant(f"store, {kind}, {io}: beyond process start", [program, store(kind), "--spawn", "200", "--io", io])
             for kind, io in (("data", "pread"), ("data", "mmap"), ("mc", "pread"))]
    many = Contestant(f"{len(shards)} stores with one schema, each", [program, *shards])
    alone = Contestant("one store by a running process", [program, shards[0]])
    peers = [Contestant("GetEntry, open and first event", root("events", tree, "--limit", 1)[0], add_open=True),
             *(Contestant(name, ntuple("events", path, "--shape", "collections", "--limit", 1), add_open=True)
               for name, path in (("RNTuple, open and first event", wide),
                                  ("RNTuple, small clusters, open and first event", narrow)))]
    table = Table("Open and read the first event", [*first, many, alone, *peers]).measure(runs)
    for contestant in first:
        table.number(f"{contestant.name}, ms", contestant.best * 1e3, "at most", 0.1)
    table.number("38 stores with one schema, each, ms", many.best * 1e3, "at most", 0.1)
    for peer in peers:
        table.at_least(f"times faster than {peer.name}", peer, first[0], cpu=False)
    table.notes.append("Beyond process start: the median of 200 processes that open the store and read its first event, less "
                       "the median of 200 that return from main at once, alternating. The program is static, as the released binary is; "
                       "with shared libraries the first call of each of their functions adds 20 us in all.")
    return [table]


class Layout:
    """A store of the layouts' table: 200,000 events, the fixed one 20,000."""

    def __init__(self, kind, suffix):
        self.path, self.kind = store(kind + suffix), kind
        self.n = 20000 if kind == "small" else EVENTS[kind]
        # Of the list: a tile of 65,536 events is read whole for each.
        self.part = 200 if suffix.endswith("65536") else LIST
        self.entries = random_list(kind, "zstd")[0]


LAYOUT_WORK = {
    "random whole event": ("read_event", lambda layout: events(layout.path, "--list", layout.entries, "--limit", layout.part),
                           lambda layout: layout.part, None),
    "whole file": ("read_event in order", lambda layout: events(layout.path, "--passes", "1"), lambda layout: layout.n, 3),
    "8 scalars": ("read_columns, mapped",
                  lambda layout: tagma(layout.path, "--columns", EIGHT, "--passes", "3", "--batch", "8192", "--io", "mmap"),
                  lambda layout: layout.n, 3)}


def table_layouts(runs):
    """The classical layouts beside tiles of 1 to 65,536 events: random events, a whole pass, a scan, bytes."""
    layouts = {"tiles of 8": Layout("data", "-tiles"), "tiles of 8, --no-sparse": Layout("data", "-tiles-plain"),
               **{f"tiles of {k}": Layout("data", f"-tiles-{k}") for k in (1, 64, 65536)},
               **{" ".join(options[1:]): Layout("data", suffix) for suffix, options in data.LAYOUTS.items()},
               "fixed (20,000 events)": Layout("small", "-fixed")}
    tables = []
    for work, (how, command, n_events, rounds) in LAYOUT_WORK.items():
        contestants = [Contestant(name, command(layout), events=n_events(layout), rounds=rounds)
                       for name, layout in layouts.items()]
        table = Table(f"Layouts, {work} ({how}), data: times of one event", contestants).measure(runs)
        for contestant in contestants[1:]:
            table.at_least(f"{work}: tiles of 8, times faster than {contestant.name}", contestant, contestants[0])
        tables.append(table)
    sizes = Table("Layouts, bytes an event, data", [])
    for name, layout in layouts.items():
        sizes.number(name, layout.path.stat().st_size / layout.n, "")
    # The fixed layout keeps the first item of each list only, so it has no part in this.
    exact = {name: events(layout.path, "--check", CHECKED, "--passes", "1")
             for name, layout in layouts.items() if layout.kind == "data"}
    sizes.notes += [same_values(layouts["tiles of 8"].entries, **exact),
                    "Index included; tiles without a columns section. Fixed: one record of doubles an event, the first item of each "
                    "list, and empty slots."]
    return [*tables, sizes]


TABLES = {name.removeprefix("table_"): function for name, function in list(globals().items())
          if name.startswith("table_")}
