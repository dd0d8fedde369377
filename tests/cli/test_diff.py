# SPDX-License-Identifier: Apache-2.0
"""tagma diff and tagma verify: what differs is told to the bit, and what is the same is said to be the same."""
import json
import struct
import unittest

from support import Case, needs_collection

SKIPPED = "not compared, since this version cannot read them: lookup (map<int,int> is not read)\n"


class Different(Case):
    def convert(self, *arguments):
        return self.says("convert", "events.root", "--skip-unsupported", *arguments, "-o", "s.tagma")

    def change(self, name, column_bytes, new):
        """A copy of events.root, whose baskets of these values are stored as they are, with other bytes."""
        content = (self.dir / "events.root").read_bytes()
        self.assertEqual(content.count(column_bytes), 1)
        return self.write(name, content.replace(column_bytes, new))

    def muon_pt(self, value):
        """Muon_pt of entry 3 is 30.25, 31.25, 32.25."""
        return self.change("other.root", struct.pack(">3f", 30.25, 31.25, 32.25), struct.pack(">3f", 30.25, value, 32.25))


class Diff(Different):
    def test_a_file_is_the_same_as_itself(self):
        self.says("diff", "events.root", "events.root", out="",
                  err=SKIPPED + "events.root:Events;2 and events.root:Events;2: 40 events by id, 20 branches: the same\n")
        self.says("diff", "demo.root", "demo.root", "--by", "entry", out="",
                  err="demo.root:Events;1 and demo.root:Events;1: 200 events by entry, 947 branches: the same\n")

    def test_a_value_that_differs_is_told(self):
        self.muon_pt(31.5)
        said = self.says("diff", "events.root", "other.root", status=1)
        self.assertEqual(said.out, "Muon_pt: 1 of 40 events differs; first 273158:1:103 (entry 3, value 1): "
                                   "31.25 in events.root, 31.5 in other.root\n")
        self.assertEqual(said.err, SKIPPED + "events.root and other.root: 40 events by id, 20 branches: different\n")
        self.says("diff", "events.root", "other.root", "-c", "nMuon,Muon_charge",
                  err="events.root and other.root: 40 events by id, 2 branches: the same\n")

    def test_floats_may_be_near(self):
        step = struct.unpack(">f", struct.pack(">I", struct.unpack(">I", struct.pack(">f", 31.25))[0] + 3))[0]
        self.muon_pt(step)
        columns = ("-c", "Muon_pt")
        self.says("diff", "events.root", "other.root", *columns, status=1)
        self.says("diff", "events.root", "other.root", *columns, "--ulp", 2, status=1)
        self.says("diff", "events.root", "other.root", *columns, "--ulp", 3)
        self.says("diff", "events.root", "other.root", *columns, "--relative", "1e-7", status=1)
        self.says("diff", "events.root", "other.root", *columns, "--relative", "1e-6")
        self.says("diff", "events.root", "other.root", "--relative", "x", status=2, out="",
                  err='tagma: diff: --relative takes a number from 0 to 1, such as 1e-6, not "x"\n')

    def test_nans_are_told_apart_by_their_bits(self):
        nan, other = b"\x7f\xc0\x00\x00", b"\x7f\xc0\x00\x01"
        self.change("a.root", struct.pack(">3f", 30.25, 31.25, 32.25), struct.pack(">f", 30.25) + nan + struct.pack(">f", 32.25))
        self.change("b.root", struct.pack(">3f", 30.25, 31.25, 32.25), struct.pack(">f", 30.25) + other + struct.pack(">f", 32.25))
        self.says("diff", "a.root", "a.root", "-c", "Muon_pt")
        said = self.says("diff", "a.root", "b.root", "-c", "Muon_pt", "--ulp", 5, status=1)
        self.assertIn('"NaN" (0x7fc00000) in a.root, "NaN" (0x7fc00001) in b.root\n', said.out)

    def test_events_are_paired_by_id_whatever_their_order(self):
        self.convert("--sort")
        said = self.says("diff", "events.root", "s.tagma", out="")
        self.assertEqual(said.err, SKIPPED + "events.root and s.tagma: 40 events by id, 20 branches: the same\n")

    def test_what_only_one_side_has(self):
        said = self.says("diff", "events.root", "events.root:Sim", status=1)
        self.assertIn("f: only in events.root:Events;2\n", said.out)
        self.assertIn("40 events only in events.root:Events;2: 273158:1:100, 273158:1:101, 273158:1:102, 273158:1:103, "
                      "273158:2:104, 273158:2:105, 273158:2:106, 273158:2:107, 273158:3:108, 273158:3:109 and 30 more\n"
                      "10 events only in events.root:Sim;1: 1:1:500, ", said.out)
        said = self.says("diff", "events.root:floats", "y.root", status=1)
        self.assertIn("by entry", said.err)
        said = self.says("diff", "events.root:floats", "events.root:two", status=2, out="")
        self.assertIn("two candidates for the run column: run and runNumber", said.err)
        self.says("diff", "events.root:floats", "events.root:two", "--by", "entry", status=1)

    def test_json(self):
        self.muon_pt(31.5)
        said = json.loads(self.says("diff", "events.root", "other.root", "--json", status=1).out)
        self.assertEqual({key: said[key] for key in ("a", "b", "same", "aligned", "events", "different_events",
                                                     "compared_columns", "different_columns", "damaged")},
                         {"a": "events.root", "b": "other.root", "same": False, "aligned": "id", "events": 40,
                          "different_events": 1, "compared_columns": 20, "different_columns": 1, "damaged": 0})
        column = next(c for c in said["columns"] if c["name"] == "Muon_pt")
        self.assertEqual(column, {"name": "Muon_pt", "relation": "compared", "type_a": "f32[nMuon]", "type_b": "f32[nMuon]",
                                  "different": 1, "id": "273158:1:103", "entry_a": 3, "entry_b": 3, "value": 1,
                                  "a": "31.25", "b": "31.5"})

    def test_what_cannot_be_asked(self):
        for arguments, words in ((("events.root",), "diff: two files are compared, not 1"),
                                 (("events.root", "y.root", "demo.root"), "not 3"),
                                 (("events.root", "events.root", "-c", "Muon_ptt"), 'no branch named "Muon_ptt"'),
                                 (("events.root", "events.root", "-c", "nMuon,Muon_ptt"), 'no branch named "Muon_ptt"'),
                                 (("events.root", "events.root", "-c", "lookup"), "branch lookup cannot be read"),
                                 (("events.root", "events.root", "--ids", "run,evnt"), 'no branch named "evnt" (near: event)'),
                                 (("y.root", "y.root", "--by", "id"), "no id columns"),
                                 (("events.root", "none.root"), "none.root"),
                                 (("y.root", "list.txt", "-o", "y.root"), "y.root is an input (y.root); write somewhere else")):
            said = self.says("diff", *arguments, status=2, out="")
            self.assertIn(words, said.err)

    def test_memory_is_held(self):
        self.says("diff", needs_collection("nanoAOD_2015_CMS_Open_Data_ttbar.root"), "demo.root", "--max-memory", "64M")


class Verify(Different):
    def test_a_store_is_what_it_was_made_of(self):
        for arguments in ((), ("--sort",), ("--tile", 1, "--columns", "all"), ("--tile", 64, "--no-sparse")):
            self.convert(*arguments)
            self.says("verify", "s.tagma", "--against", "events.root", out="",
                      err="not in the store: lookup (cannot be read)\n"
                          "s.tagma and events.root: 40 events by origin, 20 branches: the same\n")

    def test_a_value_that_differs_is_told(self):
        self.convert()
        self.muon_pt(31.5)
        said = self.says("verify", "s.tagma", "--against", "other.root", status=1)
        self.assertEqual(said.out, "Muon_pt: 2 of 40 events differ; first 273158:1:103 (entry 3, value 1): "
                                   "31.25 in s.tagma, 31.5 in other.root\n".replace("2 of 40 events differ", "1 of 40 events differs"))

    def test_several_sources_also_sorted(self):
        self.muon_pt(31.5)
        for arguments in ((), ("--sort",)):
            self.says("convert", "other.root", "events.root", "--skip-unsupported", *arguments, "-o", "s.tagma")
            self.says("verify", "s.tagma", "--against", "other.root", "events.root")
            said = self.says("verify", "s.tagma", "--against", "events.root", "other.root", status=1)
            self.assertIn("Muon_pt: 2 of 80 events differ", said.out)
        self.says("verify", "s.tagma", "--against", "events.root", status=2, out="",
                  err="tagma: s.tagma was made of 2 files, 1 given; name them in the same order\n")

    def test_what_is_left_out_is_named_and_what_is_missing_differs(self):
        self.convert("--drop", "text,f")
        said = self.says("verify", "s.tagma", "--against", "events.root")
        self.assertIn("not in the store: f (as asked), text (as asked), lookup (cannot be read)\n", said.err)

    def test_ids_are_compared_where_there_is_no_index(self):
        no_index = "s.tagma has no index of its id columns (run, event): they were compared as any branch is\n"
        self.convert("--drop", "luminosityBlock")
        said = self.says("verify", "s.tagma", "--against", "events.root", out="")
        self.assertTrue(said.err.startswith(no_index), said.err)
        self.assertIn("events by origin, 19 branches: the same\n", said.err)
        self.assertFalse(self.says("verify", "s.tagma", "--against", "events.root", "--json").objects[0]["has_index"])
        self.change("other.root", struct.pack(">2I", 274158, 273158), struct.pack(">2I", 274158, 273159))
        said = self.says("verify", "s.tagma", "--against", "other.root", status=1)
        self.assertIn("run: 1 of 40 events differs; first 273158:", said.out)
        self.assertTrue(said.err.startswith(no_index), said.err)
        self.convert()
        self.assertTrue(self.says("verify", "s.tagma", "--against", "events.root", "--json").objects[0]["has_index"])

    def test_a_store_of_another_file(self):
        self.says("convert", "events.root", "-t", "Sim", "-o", "s.tagma")
        said = self.says("verify", "s.tagma", "--against", "events.root:Events", status=1)
        self.assertIn("f: only in events.root\n", said.out)
        self.assertIn("30 events only in events.root", said.out)

    def test_damage_is_told(self):
        self.convert()
        content = bytearray((self.dir / "s.tagma").read_bytes())
        content[4200] ^= 1
        self.write("d.tagma", bytes(content))
        said = self.says("verify", "d.tagma", "--against", "events.root", status=2)
        self.assertIn("d.tagma", said.err)

    def test_what_cannot_be_asked(self):
        self.convert()
        for arguments, words in ((("s.tagma",), "tagma verify STORE --against FILE..."),
                                 (("events.root", "--against", "s.tagma"), "events.root is no store"),
                                 (("s.tagma", "--against", "none.root"), "none.root")):
            self.assertIn(words, self.says("verify", *arguments, status=2, out="").err)


if __name__ == "__main__":
    unittest.main()
