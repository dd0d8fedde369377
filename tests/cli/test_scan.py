# SPDX-License-Identifier: Apache-2.0
"""tagma scan and tagma show: values of a run of entries, and one event for the eye."""
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

    def test_ids_of_scan_are_a_list(self):
        self.write("all.ids", self.says("scan", "events.root", "-f", "ids").out)
        said = self.says("pick", "events.root", "-e", "all.ids", "-f", "entries", "--once", "--order", "file")
        self.assertEqual([int(line.split(",")[1]) for line in said.lines[1:]], list(range(40)))

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


class Show(Case):
    def test_one_event(self):
        self.says("show", "events.root", "273158:2:107", out="""\
events.root  Events;2  entry 7  273158:2:107
  run              273158
  luminosityBlock  2
  event            107
  small            -13
  big              -9223372036854775801
  huge             18446744073709551608
  f                NaN
  d                123456789.123
  fixed            [[70,71,72],[73,74,75]]
  text              blank
  nested           1: [[7]]
  words            1: ["word 0"]
  true: HLT_A
  false: 1

Muon: 3
  #     pt  charge
  0  70.25       1
  1  71.25      -1
  2  72.25       1

empty: Far
""".replace("  text              blank\n", "  text              blank\n"))

    def test_entry_by_number_and_some_columns(self):
        self.says("show", "events.root", "@5", "-c", "HLT_*,Far_*,run", out="""\
events.root  Events;2  entry 5  273158:2:105
  run  273158
  true: HLT_A
  false: 1

Far: 6
  #        e        x
  0    5e+06    5e+06
  1  5000001  5000001
  2  5000002  5000002
  3  5000003  5000003
  4  5000004  5000004
  5  5000005  5000005
""")

    def test_every_entry_with_the_id(self):
        said = self.says("show", "events.root", "110", "-c", "run")
        self.assertEqual(said.out, "events.root  Events;2  entry 10  273158:3:110\n  run  273158\n\n"
                                   "events.root  Events;2  entry 30  273158:3:110\n  run  273158\n")

    def test_no_such_event(self):
        said = self.says("show", "events.root", "1:1:1", status=1, out="")
        self.assertIn("tagma: missing: 1:1:1\n", said.err)
        self.says("show", "events.root", "@40", status=1, out="")

    def test_json_is_a_line_of_pick(self):
        self.assertEqual(self.says("show", "events.root", "@3", "--json").out,
                         self.says("pick", "events.root", "@3", "-f", "jsonl").out)

    def test_names_and_values_cannot_steer_the_terminal(self):
        said = self.says("show", "events.root", "@6", "@3", "-c", "text")
        self.assertIn("text  tab\\x09here\n", said.out)
        self.assertIn("text  line\\x0abreak\n", said.out)

    def test_wide_collections_are_turned(self):
        said = self.says("show", "demo.root", "@4", "-c", "Jet_*,nJet")
        lines = said.lines
        self.assertIn("Jet: 7", lines)
        self.assertTrue(lines[lines.index("Jet: 7") + 1].startswith("  #  "))
        self.assertLessEqual(max(map(len, lines)), 100)


if __name__ == "__main__":
    unittest.main()
