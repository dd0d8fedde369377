# SPDX-License-Identifier: Apache-2.0
"""Every message that users were promised word for word, in one list, each produced by a run.

Numbers and names in a promise are those of its example; where a file of just these numbers would weigh megabytes, SHAPES
tells which other numbers stand in for them.
"""
import os
import subprocess
import time
import unittest

from support import TAGMA, Case, environment, needs_collection
from test_terminal import on_terminal

try:
    import numpy
    import uproot
except ImportError:
    uproot = None

# The promise, and the test method of Promises that produces it.
PROMISES = {
    "... 9,999,980 more entries, 1,588 more columns (--count, -c)": "more",
    "also 1,200 TH1D, 2 TTree cycles": "also",
    "friend X in y.root not read": "friend",
    'x.root holds RNTuple "Events" and no TTree; this version reads TTrees only': "rntuple",
    "x.root changed while it was read; results discarded": "changed",
    "ids: run=run lumi=luminosityBlock event=event": "ids",
    "tagma: list.txt line 1 has 3 numbers, tree ntuple has 2 (run=runNumber, event=eventNumber). Remove the middle one, or "
    "name the columns with --ids A,B,C": "depth",
    'tagma: list.csv line 2: event "1.23457e+09" has been rounded (6 digits written, 10 needed); it cannot name an event. '
    'Write the ids as integers: df.astype("int64"), np.savetxt(fmt="%d")': "rounded",
    "tagma: found 0 of 250. All 250 are in runs this tree does not have (list: 273158-284044, file: 1). Data list on a "
    "simulation file?": "found",
    "51 ids have several entries": "several",
    "starting at entry 10; for the first 10: --count 10": "start",
    "index built in 8.3 s, not kept; tagma index FILE keeps it": "built",
    "tagma: x.root.tgx was made for another state of x.root (then 81,230 entries, now 90,112). Rebuild: tagma index x.root, or "
    "ignore it: --no-sidecar": "stale",
    "tagma: ROOT output is not in this version. -f entries gives the entry numbers; -f jsonl the values; convert writes stores, OUT.tagma": "root_output",
    "no id columns found": "no_ids",
}

SHAPES = {
    "... 9,999,980 more entries, 1,588 more columns (--count, -c)": "... 180 more entries, 942 more columns (--count, -c)",
    "index built in 8.3 s, not kept; tagma index FILE keeps it": "index built in 0.0 s, not kept; tagma index FILE keeps it",
}


class Promises(Case):
    def lines_of(self, *arguments, **more):
        said = self.tagma(*arguments, **more)
        return said.status, said.err.splitlines() + said.out.splitlines()

    def more(self):
        status, text, err = on_terminal("scan", "demo.root", cwd=self.dir, columns=80)
        return status, err.splitlines() + text.splitlines()

    def also(self):
        if uproot is None:
            self.skipTest("uproot writes the file, and is not here")
        with uproot.recreate(self.dir / "x.root") as file:
            for i in range(1200):
                file[f"h{i}"] = (numpy.array([1.0, 2.0]), numpy.array([0.0, 1.0, 2.0]))
            for _ in range(3):
                file.mktree("Events", {"x": "i4"}).extend({"x": numpy.arange(3, dtype="i4")})
        return self.lines_of("ls", "x.root")

    def friend(self):
        return self.lines_of("pick", "events.root", "105", "-f", "ids")

    def rntuple(self):
        os.symlink(needs_collection("nano_dimuon_rntuple.root"), self.dir / "x.root")
        return self.lines_of("ls", "x.root")

    def changed(self):
        os.rename(self.dir / "demo.root", self.dir / "x.root")
        with subprocess.Popen([TAGMA, "scan", "x.root", "-f", "jsonl"], cwd=self.dir, env=environment(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            child.stdout.read(1)
            later = time.time() + 100
            os.utime(self.dir / "x.root", (later, later))
            _, err = child.communicate(timeout=60)
        return child.returncode, err.decode().splitlines()

    ids = friend

    def depth(self):
        self.write("list.txt", "1:2:3\n")
        return self.lines_of("pick", "events.root:ntuple", "-e", "list.txt")

    def rounded(self):
        self.write("list.csv", "run,event\n1,1.23457e+09\n")
        return self.lines_of("pick", "events.root:ntuple", "-e", "list.csv")

    def found(self):
        runs = [273158 + 43 * i for i in range(249)] + [284044]
        self.write("list.txt", "".join(f"{run}:1:{i}\n" for i, run in enumerate(runs)))
        return self.lines_of("pick", "events.root:Sim", "-e", "list.txt")

    def several(self):
        os.link(self.dir / "demo.root", self.dir / "copy.root")
        ids = self.tagma("scan", "demo.root", "-f", "ids", "--count", "51").lines
        return self.lines_of("pick", "demo.root", "copy.root", *ids, "-c", "run", "-f", "csv")

    def start(self):
        return self.lines_of("scan", "events.root", "-c", "run", "--start", "10")

    built = friend

    def stale(self):
        if uproot is None:
            self.skipTest("uproot writes the files, and is not here")
        for n in (81230, 90112):
            with uproot.recreate(self.dir / "x.root") as file:
                file.mktree("Events", {"run": "i4", "event": "i8"}).extend(
                    {"run": numpy.ones(n, dtype="i4"), "event": numpy.arange(n, dtype="i8")})
            if n == 81230:
                self.says("index", "x.root", "-q")
        return self.lines_of("pick", "x.root", "1:5")

    def root_output(self):
        return self.lines_of("pick", "events.root", "@1", "-o", "x.root")

    def no_ids(self):
        return self.lines_of("pick", "events.root:plain", "5")

    EXIT = {"found": 1, "depth": 2, "rounded": 2, "rntuple": 2, "changed": 2, "stale": 2, "root_output": 2, "no_ids": 2}

    def check(self, promise):
        status, lines = getattr(self, PROMISES[promise])()
        wanted = SHAPES.get(promise, promise)
        self.assertTrue(any(wanted in line for line in lines), "\n".join([wanted, "is not in", *lines]))
        self.assertEqual(status, self.EXIT.get(PROMISES[promise], 0))


def add_tests():
    for promise, name in PROMISES.items():
        setattr(Promises, f"test_{name}", lambda self, promise=promise: self.check(promise))


add_tests()


class Offers(Case):
    def test_the_words_about_missing_id_columns_list_what_was_looked_for_and_offer_entries(self):
        said = self.says("pick", "events.root:plain", "5", status=2)
        for words in ("run, runnumber, runnum, runnr", "luminosityblock, lumi, lumiblock, lumiblocknum, lumisection, ls, subrun",
                      "event, eventnumber, eventnum, evtnumber, evtnum, evt", "@N", "--ids A,B,C"):
            self.assertIn(words, said.err)

    def test_near_names_are_offered(self):
        for arguments, near in ((("-c", "Muon_p"), "Muon_pt"), (("-t", "Event"), "Events")):
            self.assertIn(f"(near: {near}", self.says("scan", "events.root", *arguments, status=2).err)

    def test_trees_are_listed_where_none_is_chosen(self):
        self.write("two.txt", "")
        if uproot is None:
            self.skipTest("uproot writes the file, and is not here")
        with uproot.recreate(self.dir / "x.root") as file:
            for name in ("one", "two"):
                file.mktree(name, {"x": "i4"}).extend({"x": numpy.arange(3, dtype="i4")})
        said = self.says("scan", "x.root", status=2, out="")
        self.assertIn("one, two", said.err)


if __name__ == "__main__":
    unittest.main()
