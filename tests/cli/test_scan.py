# SPDX-License-Identifier: Apache-2.0
"""tagma scan: values of a run of entries."""
import unittest

from support import COLLECTION, Case, needs_collection


class Scan(Case):
    def test_a_run_of_entries(self):
        self.says("scan", "events.root", "-c", "run,event,Muon_pt", "--start", "1", "--count", "2", err="",
                  out='run,event,Muon_pt\n273158,101,"[10.25]"\n273158,102,"[20.25,21.25]"\n')

    def test_everything(self):
        said = self.says("scan", "events.root", "-f", "jsonl", err="1 unsupported column is left out; tagma ls -l tells why\n")
        self.assertEqual(len(said.objects), 40)
        self.assertEqual(len(said.objects[0]), 20)
        self.assertEqual(list(said.objects[0])[0], "run")

    def test_start_alone_is_told(self):
        for option in ("--start", "--first"):
            said = self.says("scan", "events.root", "-c", "run", option, "10")
            self.assertEqual(said.err, "starting at entry 10; for the first 10: --count 10\n")
            self.assertEqual(len(said.lines), 31)
        self.says("scan", "events.root", "-c", "run", "--start", "10", "--count", "1", err="")

    def test_past_the_end(self):
        self.says("scan", "events.root", "-c", "run", "--start", "40", "--count", "1", out="run\n", err="")
        said = self.says("scan", "events.root", "-c", "run", "--start", "99", "--count", "1", out="run\n")
        self.assertEqual(said.err, "entry 99 is past the last\n")

    def test_ids_and_entries(self):
        self.says("scan", "events.root", "-f", "ids", "--start", "33", "--count", "2",
                  out="275158:9:9007199254740993\n275158:9:9223372036854775813\n")
        self.says("scan", "events.root", "-f", "entries", "--count", "2", out="file,entry\nevents.root,0\nevents.root,1\n")
        said = self.says("scan", "events.root:plain", "-f", "ids", status=2, out="")
        self.assertIn("no id columns found", said.err)

    def test_files_end_to_end(self):
        said = self.says("scan", "events.root", "./events.root", "-c", "event", "--start", "39", "--count", "2",
                         out="event\n139\n100\n")
        said = self.says("scan", "events.root", "demo.root", status=2)
        self.assertIn("demo.root has other columns than the first file", said.err)
        self.says("scan", "events.root", "demo.root", "-c", "run", "--start", "39", "--count", "2", out="run\n275158\n1\n",
                  status=0)

    def test_a_tree_without_entries(self):
        path = needs_collection("uproot-empty.root")
        self.says("scan", path, out="x,y,z\n", err="")
        self.says("scan", path, "-f", "jsonl", out="", err="")

    def test_every_file_of_the_collection(self):
        needs_collection("INDEX.tsv")
        for path in sorted(COLLECTION.glob("uproot-*.root")):
            with self.subTest(path=path.name):
                names = self.says("ls", "--json", path).objects[0]["trees"]
                for tree in names:
                    said = self.says("scan", path, "-t", tree["name"], "-f", "jsonl", "--count", "3", "-q")
                    self.assertEqual(len(said.objects), min(3, tree["entries"]))


if __name__ == "__main__":
    unittest.main()
