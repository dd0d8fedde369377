# SPDX-License-Identifier: Apache-2.0
"""tagma convert: what is in the store is what is in the file; what is not is told; half a store never stands anywhere."""
import os
import re
import unittest

from support import RELEASE, Case, needs_collection, run

IDS = "ids: run=run lumi=luminosityBlock event=event\n"


class Convert(Case):
    def convert(self, *arguments, out="s.tagma", **more):
        return self.says("convert", *arguments, "-o", out, **more)

    def same(self, store, file, *arguments):
        self.assertEqual(self.says("scan", store, "-f", "jsonl", *arguments).raw,
                         self.says("scan", file, "-f", "jsonl", *arguments).raw)

    def test_every_command_reads_it_as_the_file(self):
        said = self.convert("demo.root")
        self.assertRegex(said.err, r"\A" + IDS + r"s.tagma: 200 events, 947 branches; 378 kB in, \d+ kB out, ratio \d\.\d\d\n"
                                   r"[\d.]+ s: reading [\d.]+, encoding [\d.]+, sorting 0.00, index [\d.]+, syncing [\d.]+\n\Z")
        self.same("s.tagma", "demo.root")
        self.assertEqual(self.tagma("check", "s.tagma").status, 0)
        self.assertIn("kind       Tagma store, format 1", self.says("info", "s.tagma").out)

    def test_json(self):
        said = self.convert("events.root", "--json", "--skip-unsupported").objects[0]
        self.assertEqual({key: said[key] for key in ("file", "inputs", "events", "distinct", "repeated", "ids")},
                         {"file": "s.tagma", "inputs": 1, "events": 40, "distinct": 38, "repeated": 2,
                          "ids": {"run": "run", "lumi": "luminosityBlock", "event": "event"}})
        self.assertEqual(said["bytes_out"], (self.dir / "s.tagma").stat().st_size)
        self.assertIn("tree", {absent["kind"] for absent in said["absent"]})

    def test_its_index_is_used(self):
        self.convert("events.root", "--skip-unsupported")
        said = self.says("pick", "s.tagma", "110", "-f", "ids")
        self.assertNotIn("index built", said.err)
        self.assertIn("s.tagma is a store: it has its index in itself\n", self.says("index", "s.tagma").err)
        said = self.says("pick", "s.tagma", "110", "--index", "x.tgx", status=2)
        self.assertIn("s.tagma is a store, which holds its own index; x.tgx is not for it", said.err)

    def test_the_tree_must_match(self):
        self.convert("events.root", "-t", "Sim")
        self.says("scan", "s.tagma", "-t", "Sim", "--count", 1)
        self.assertIn('no tree "Events"', self.says("scan", "s.tagma", "-t", "Events", status=2).err)
        self.assertIn("Sim;1", self.says("info", "s.tagma").out)

    def test_bytes_do_not_depend_on_threads_or_memory(self):
        self.convert("demo.root", "-j", 1)
        one = (self.dir / "s.tagma").read_bytes()
        for arguments in (("-j", 2), ("-j", 3, "--max-memory", "64M"), ("--io", "mmap")):
            self.convert("demo.root", *arguments)
            self.assertEqual((self.dir / "s.tagma").read_bytes(), one, arguments)

    def test_memory_is_bounded(self):
        self.write("list.txt", "demo.root\n" * 110)
        stores = []
        for memory in (1024, 192):
            said = run("convert", "--files", "list.txt", "-o", "s.tagma", "-j", 2, "--stats", "--max-memory", f"{memory}M",
                       cwd=self.dir, program=RELEASE)
            self.assertEqual(said.status, 0, said)
            peak, library = map(int, re.search(r"peak memory (\d+) kB, of it in the library (\d+) kB", said.err).groups())
            self.assertLessEqual(library, memory * 1024)
            self.assertLessEqual(peak, memory * 1024)
            stores.append((self.dir / "s.tagma").read_bytes())
        self.assertEqual(*stores)
        said = run("convert", "--files", "list.txt", "-o", "s.tagma", "--max-memory", "32M", cwd=self.dir, program=RELEASE)
        self.assertEqual(said.status, 2, said)
        self.assertRegex(said.err, r"s.tagma: a cluster of events is put together in memory, about 160 MiB: \d+ more bytes "
                                   r"would pass the memory limit")
        self.assertEqual((self.dir / "s.tagma").read_bytes(), stores[0])

    def test_who_is_refused_memory_is_told_what_it_is_for(self):
        """Wherever memory ends: behind the last event, too, where the last cluster is put together."""
        path = needs_collection("PHYSLITE_example.root")
        refused = 0
        for arguments in ((), ("--sort",)):
            for memory in range(12, 18):
                said = self.tagma("convert", path, "--skip-unsupported", *arguments, "-j", 1, "-o", "s.tagma",
                                  "--max-memory", f"{memory}M")
                if said.status == 2:
                    refused += 1
                    self.assertRegex(said.err, r"s.tagma: (a cluster of events|what stands behind the events) is put together in "
                                               r"memory(, about 160 MiB)?: \d+ more bytes would pass the memory limit of \d+ bytes; "
                                               r"--max-memory allows more")
                    self.assertFalse((self.dir / "s.tagma").exists())
                else:
                    (self.dir / "s.tagma").unlink()
        self.assertGreater(refused, 2)

    def test_what_cannot_be_written_to(self):
        (self.dir / "folder").mkdir()
        for out, words in (("y.root", "tagma: y.root is an input (y.root); write somewhere else\n"),
                           ("folder", "tagma: folder is a folder; a store cannot be written there\n"),
                           ("-", "tagma: - is no file to write; /dev/stdout is\n")):
            self.says("convert", "y.root", "-o", out, status=2, out="", err=words)

    def test_columns(self):
        self.convert("demo.root", "-c", "Muon_*,nMuon", "--drop", "Muon_eta")
        names = self.says("scan", "s.tagma", "--count", 0).out.strip().split(",")
        self.assertIn("run", names)
        self.assertIn("Muon_pt", names)
        self.assertNotIn("Muon_eta", names)
        self.assertEqual([name for name in names if "Muon" not in name], ["run", "luminosityBlock", "event"])
        said = self.convert("demo.root", "--drop", "run")
        self.assertIn("branch run is left out, so the store has no index\n", said.err)
        self.assertIn('no branch named "Muon_ptt" (near: Muon_pt', self.convert("demo.root", "--drop", "Muon_ptt", status=2).err)

    def test_options_that_cannot_be(self):
        for arguments, words in ((("--tile", 3), "--tile takes a power of 2 from 1 to 65536, not 3"),
                                 (("--tile", 131072), "not 131072"), (("--index", "x"), "--index belongs to")):
            self.assertIn(words, self.convert("demo.root", *arguments, status=2).err)
        self.assertIn("-o OUT.tagma is needed", self.says("convert", "demo.root", status=2).err)
        self.assertFalse((self.dir / "s.tagma").exists())

    def test_tiles_and_codes_hold_the_same(self):
        for arguments in (("--tile", 1), ("--tile", 64), ("--tile", 65536), ("--no-sparse",), ("--columns", "none"),
                          ("--columns", "all"), ("--columns", "Muon_*,nJet")):
            self.convert("demo.root", *arguments)
            self.same("s.tagma", "demo.root")

    def test_what_cannot_be_read_is_left_out_on_request_only(self):
        said = self.convert("events.root", status=2)
        self.assertEqual(said.err, "tagma: events.root: 1 branch cannot be read; leave it out with --skip-unsupported: "
                                   "lookup (map<int,int> is not read)\n")
        self.assertFalse((self.dir / "s.tagma").exists())
        said = self.convert("events.root", "--skip-unsupported")
        self.assertIn("left out, since this version cannot read them: lookup (map<int,int> is not read)\n", said.err)
        self.assertIn("friend X in y.root is not converted\n", said.err)
        self.convert("events.root", "--drop", "lookup")

    def test_several_files_need_one_schema(self):
        self.convert("demo.root", "demo.root")
        self.assertEqual(self.says("scan", "s.tagma", "-f", "jsonl").raw, 2 * self.says("scan", "demo.root", "-f", "jsonl").raw)
        said = self.convert("demo.root", "demo.root")
        self.assertIn("200 ids have several entries, of 200 ids; all are kept\n", said.err)
        before = (self.dir / "s.tagma").read_bytes()
        said = self.convert("demo.root", "events.root", "--skip-unsupported", status=2)
        self.assertIn("events.root has not the branches of demo.root; missing: ", said.err)
        self.assertEqual((self.dir / "s.tagma").read_bytes(), before)

    def test_sorted_by_id_each_knows_where_it_came_from(self):
        self.convert("demo.root", "demo.root", "--sort", "--drop", "nMuon")
        rows = self.says("scan", "s.tagma", "-f", "jsonl").objects
        ids = [(row["run"], row["luminosityBlock"], row["event"]) for row in rows]
        self.assertEqual(ids, sorted(ids))
        entries = [line.split(",") for line in self.says("scan", "s.tagma", "-f", "entries").lines[1:]]
        source = self.says("scan", "demo.root", "-f", "jsonl").objects
        for row, (file, entry) in zip(rows, entries):
            self.assertEqual(file, "demo.root")
            self.assertEqual({**source[int(entry)], "nMuon": 0}, {**row, "nMuon": 0})
        said = self.says("pick", "s.tagma", "@7", ":".join(map(str, ids[20])), "-f", "csv", "-c", "event")
        self.assertEqual([line.split(",")[:2] for line in said.lines[1:]], [entries[7], entries[20], entries[21]])
        self.assertIn(f"2 entries (@{entries[20][1]}, @{entries[21][1]}), equal", said.err)

    def test_sorting_is_stable_and_needs_ids(self):
        self.convert("events.root", "events.root", "--sort", "--skip-unsupported")
        said = self.says("pick", "s.tagma", *(line for line in self.says("scan", "events.root", "-f", "ids").lines), "--once",
                         "-f", "entries")
        self.assertEqual(len(said.lines), 81)
        self.assertIn("has no id columns to be sorted by", self.convert("events.root", "-t", "plain", "--sort", status=2).err)
        self.assertIn("branch run is sorted by, and must not be left out",
                      self.convert("demo.root", "--drop", "run", "--sort", status=2).err)
        self.assertEqual(list(self.dir.glob(".*")), [])

    def test_objects_may_be_refused(self):
        said = self.convert("events.root", "--strict-objects", "--skip-unsupported", status=2)
        self.assertIn("tagma: a store holds one tree; these would not be in it: Events;1, Sim, ntuple, floats, halves, "
                                   "plain, two, lists, dir/deep, TH1D and 1 more\n", said.err)
        self.assertFalse((self.dir / "s.tagma").exists())

    def test_an_input_is_not_written_over(self):
        os.link(self.dir / "demo.root", self.dir / "twin")
        before = (self.dir / "demo.root").read_bytes()
        for out in ("demo.root", "twin", "./twin"):
            self.convert("demo.root", out=out, status=2)
        self.assertEqual((self.dir / "demo.root").read_bytes(), before)

    def test_damage_refuses(self):
        content = (self.dir / "demo.root").read_bytes()
        for place in range(20000, len(content), 1000):
            self.damage("demo.root", "bad.root", [place])
            said = self.tagma("convert", "bad.root", "-o", "s.tagma", "-t", "Events")
            if "what is damaged is not converted" in said.err:
                self.assertEqual(said.status, 2, said)
                self.assertRegex(said.err, r"basket \d+")
                self.assertFalse((self.dir / "s.tagma").exists())
                return
        self.fail("no damage met")


if __name__ == "__main__":
    unittest.main()
