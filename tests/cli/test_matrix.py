# SPDX-License-Identifier: Apache-2.0
"""Every tree of every real file into stores of every layout, and each verified against its file, bit for bit.

TAGMA_HOSTILE=all runs all (`make hostile`); else a twentieth, chosen by the names, so that the same ones run each time.
"""
import hashlib
import os
import re
import unittest
from concurrent.futures import ThreadPoolExecutor

from support import COLLECTION, Case

LAYOUTS = [(f"--tile {k} {sparse}".split()) for k in (1, 8, 64, 65536) for sparse in ("", "--no-sparse")]
LAYOUTS += [["--columns", "all"], ["--columns", "none"], ["--sort"]]
LAYOUTS += [f"--layout {it}".split() for it in ("collection", "fixed", "collection --blocks 8K --codec lz4", "fixed --blocks 64K")]
LAYOUTS += ["--blocks 256K --codec zstd".split()]
WIDE = re.compile(r"which no double holds; leave the branch out with --drop (.+)$", re.M)
SHARE = 1 if os.environ.get("TAGMA_HOSTILE") == "all" else 20


def is_chosen(*words):
    return int.from_bytes(hashlib.sha256(" ".join(map(str, words)).encode()).digest()[:4], "big") % SHARE == 0


class Matrix(Case):
    def convert(self, path, tree, layout, store):
        """The fixed layout refuses integers that no double holds: without those branches, which it names one by one."""
        dropped = []
        while True:
            said = self.tagma("convert", path, "-t", tree, "--skip-unsupported", *layout, "-o", store, "-j", 1,
                              *(["--drop", ",".join(dropped)] if dropped else []))
            wide = WIDE.search(said.err) if said.status == 2 and "fixed" in layout else None
            if wide is None or wide[1] in dropped:
                return said
            dropped.append(wide[1])

    def refusal(self, path, tree, layout):
        """What convert must say of a tree that it cannot make such a store of, as ls and info tell; None where it must do it."""
        listed = self.tagma("ls", path, "-l", "-t", tree, "--json").objects[0]["trees"][0]["columns"]
        types = [column["type"] for column in listed if column["supported"]]
        name = tree.rpartition(";")[0]
        if not types or ("fixed" in layout and all(it.startswith("string") for it in types)):
            return f"{path}: no branch of tree {name} is left to be converted"
        if "--sort" in layout and re.search("^ +ids +none found$", self.tagma("info", path, "-t", tree).out, re.M):
            return f"{path}: tree {name} has no id columns to be sorted by"
        return None

    def try_one(self, path, tree, layout, number):
        store = f"{number}.tagma"
        said = self.convert(path, tree, layout, store)
        name = f"{path.name}:{tree} {' '.join(layout)}"
        if said.status != 0:
            expected = self.refusal(path, tree, layout)
            return None if said.status == 2 and expected is not None and expected in said.err else f"{name}: {said}"
        verified = self.tagma("verify", store, "--against", path, "-t", tree, "-j", 1)
        (self.dir / store).unlink()
        return "" if verified.status == 0 else f"{name}: {verified}"

    def test_real_files(self):
        files = sorted(COLLECTION.rglob("*.root"))
        if not files:
            raise unittest.SkipTest(f"{COLLECTION} is not there")
        work = []
        for path in files:
            if "bad" in path.parts:
                continue
            listed = self.tagma("ls", path, "--json")
            for tree in listed.objects[0]["trees"] if listed.status == 0 and listed.raw else []:
                work += [(path, f"{tree['name']};{tree['cycle']}", layout, number)
                         for number, layout in enumerate(LAYOUTS) if is_chosen(path.name, tree["name"], *layout)]
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            results = list(pool.map(lambda it: self.try_one(*it[1][:3], it[0]), enumerate(work)))
        self.assertEqual([words for words in results if words], [])
        verified = sum(words == "" for words in results)
        print(f"{verified} stores verified, {len(results) - verified} sources refused with words")
        self.assertGreater(verified, len(work) // 2)

    def test_files_in_the_repository(self):
        for number, layout in enumerate(LAYOUTS):
            for name, tree in (("events.root", "Events"), ("events.root", "lists"), ("demo.root", "Events")):
                words = self.try_one(self.dir / name, tree, layout, number)
                self.assertEqual(words or "", "")


if __name__ == "__main__":
    unittest.main()
