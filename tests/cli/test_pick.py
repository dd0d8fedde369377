# SPDX-License-Identifier: Apache-2.0
"""tagma pick: exactly the events asked for, and an answer for each that is not there."""
import csv
import io
import json
import math
import os
import struct
import subprocess
import unittest

from support import TAGMA, Case, environment

IDS = "ids: run=run lumi=luminosityBlock event=event\n"
BUILT = "index built in 0.0 s, not kept; tagma index FILE keeps it\n"
FRIEND = "friend X in y.root not read\n"
LEFT_OUT = "1 unsupported column is left out; tagma ls -l tells why\n"


def id_of(entry):
    """As the recipe made it."""
    place = entry - 20 if entry in (30, 31) else entry
    event = {30: 110, 31: 111, 33: 2**53 + 1, 34: 2**63 + 5}.get(entry, 100 + entry)
    return f"{273158 + 1000 * (place // 16)}:{1 + place // 4}:{event}"


class Found(Case):
    def test_one_event_whole(self):
        said = self.says("pick", "events.root", id_of(33), "-f", "jsonl", err=FRIEND + IDS + BUILT + LEFT_OUT)
        event = said.objects[0]
        self.assertEqual(list(event)[:6], ["@file", "@entry", "@id", "run", "luminosityBlock", "event"])
        self.assertEqual((event["@file"], event["@entry"], event["@id"]), ("events.root", 33, "275158:9:9007199254740993"))
        self.assertEqual(event["Muon_pt"], [330.25])

    def test_every_entry_by_its_id_in_the_order_asked(self):
        wanted = [id_of(i) for i in range(40) if i not in (30, 31)][::-1]
        said = self.says("pick", "events.root", *wanted, "-c", "event", "-f", "jsonl")
        ids = [row["@id"] for row in said.objects]
        self.assertEqual([i for k, i in enumerate(ids) if k == 0 or ids[k - 1] != i], wanted)
        self.assertEqual(len(ids), 40)

    def test_file_order(self):
        said = self.says("pick", "events.root", id_of(9), id_of(2), id_of(9), "-c", "run", "-f", "entries",
                         "--order", "file")
        self.assertEqual(said.out, "file,entry\nevents.root,2\nevents.root,9\nevents.root,9\n")

    def test_partial_ids_match_every_entry(self):
        """Two numbers are run:event, one is event; what is printed is the whole id."""
        said = self.says("pick", "events.root", "273158:110", "105", "-f", "ids")
        self.assertEqual(said.out, "273158:3:110\n273158:3:110\n273158:2:105\n")

    def test_entries_by_number_need_no_index(self):
        said = self.says("pick", "events.root", "@39", "@0", "-f", "ids", err=FRIEND + IDS)
        self.assertEqual(said.out, id_of(39) + "\n" + id_of(0) + "\n")

    def test_friends_of_every_file_are_told_once(self):
        os.symlink("events.root", self.dir / "again.root")
        said = self.tagma("pick", "demo.root", "events.root", "again.root", "105", "-f", "ids")
        self.assertEqual(said.err.count("friend X in y.root not read\n"), 1, said.err)

    def test_a_tree_without_ids(self):
        said = self.says("pick", "events.root:plain", "@3", "-f", "jsonl", err="")
        self.assertEqual(said.objects, [{"@file": "events.root", "@entry": 3, "@id": "@3", "x": 3, "y": -3}])

    def test_ids_above_2_63_and_negative_ones(self):
        self.assertEqual(self.says("pick", "events.root", id_of(34), "-f", "entries").out, "file,entry\nevents.root,34\n")
        self.assertEqual(self.says("pick", "events.root:ntuple", "-5:1099511627776", "-f", "entries").out,
                         "file,entry\nevents.root,0\n")

    def test_ids_in_floating_numbers_and_lists(self):
        self.assertEqual(self.says("pick", "events.root:floats", "3:4503599627370499", "-f", "ids").out,
                         "3:4503599627370499\n")
        self.assertEqual(self.says("pick", "events.root:lists", "1002", "-f", "ids").out, "7:1002\n")
        said = self.says("pick", "events.root:halves", "3:1", status=2, out="")
        self.assertIn("entry 1 holds 0.5", said.err)

    def test_ids_named_by_hand(self):
        for option in ("--ids", "--coords"):
            said = self.says("pick", "events.root:two", "1:1", option, "runNumber,event", "-f", "entries")
            self.assertEqual(said.out, "file,entry\nevents.root,1\n")
            self.assertEqual(said.err, "ids: runNumber event\n" + BUILT)

    def test_repeats_are_delivered_as_often_and_once_on_demand(self):
        asked = [id_of(3), id_of(5), id_of(3), id_of(3)]
        said = self.says("pick", "events.root", *asked, "-f", "ids")
        self.assertEqual(said.lines, asked)
        self.assertIn("2 repeats in the list, delivered as often as listed (--once: once each)\n", said.err)
        said = self.says("pick", "events.root", *asked, "103", "@3", "--once", "-f", "ids")
        self.assertEqual(said.lines, asked[:2])

    def test_count(self):
        said = self.says("pick", "events.root", *[id_of(i) for i in range(10)], "--count", "3", "-f", "entries")
        self.assertEqual(said.out, "file,entry\nevents.root,0\nevents.root,1\nevents.root,2\n")
        self.says("pick", "events.root", id_of(1), "--count", "0", "-f", "csv", "-c", "run", out="@file,@entry,@id,run\n")

    def test_several_files(self):
        """Every file is searched for every id; a file's rows stand together for each id."""
        said = self.says("pick", "events.root", "demo.root", "1:2272915:227291402", id_of(4), "-c", "run,event", "-f",
                         "jsonl")
        self.assertEqual([row["@file"] for row in said.objects], ["demo.root", "events.root"])

    def test_files_whose_ids_differ_are_refused(self):
        self.write("list.txt", "events.root:Sim\nevents.root:ntuple\n")
        said = self.says("pick", "--files", "list.txt", "5", status=2, out="")
        self.assertIn("events.root has other ids (run=runNumber event=eventNumber) than the first file "
                      "(run=run lumi=luminosityBlock event=event); name the columns with --ids A,B,C", said.err)

    def test_files_whose_columns_differ_share_no_header(self):
        asked = (id_of(4), "1:2272915:227291402")
        said = self.says("pick", "events.root", "demo.root", *asked, "-f", "csv", status=2)
        self.assertIn("demo.root has other columns than the first file; choose common ones with -c, or -f jsonl",
                      said.err)
        self.assertEqual(len(self.says("pick", "events.root", "demo.root", *asked, "-f", "jsonl").objects), 2)


class NotFound(Case):
    def test_missing_is_exit_1_and_named_with_the_reason(self):
        said = self.says("pick", "events.root", id_of(1), "7:1:1", "273158:9:1", "273158:1:999", "@99", "-f", "ids",
                         status=1, out=id_of(1) + "\n")
        self.assertEqual(said.err, FRIEND + IDS + BUILT +
                         "tagma: missing: 7:1:1 273158:9:1 273158:1:999 @99\n"
                         "tagma: found 1 of 5. 1 is in a run this tree does not have (list: 7, file: 273158-275158), "
                         "1 is in a luminosity block this tree does not have, 1 is an event this tree does not have, "
                         "1 is past the last entry.\n")

    def test_one_that_is_not_there(self):
        said = self.says("pick", "events.root", "12345", "-f", "ids", status=1, out="")
        self.assertTrue(said.err.endswith("tagma: missing: 12345\n"
                                          "tagma: found 0 of 1. It is an event this tree does not have.\n"), said)

    def test_neighbours_of_every_id_are_absent(self):
        there = {id_of(i) for i in range(40)}
        beside = []
        for i in range(40):
            run, lumi, event = map(int, id_of(i).split(":"))
            beside += [f"{run + a}:{lumi + b}:{event + c}" for a, b, c in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1))]
        self.write("list.txt", "\n".join(id for id in beside if id not in there))
        self.says("pick", "events.root", "-e", "list.txt", "-f", "ids", status=1, out="")

    def test_a_data_list_on_a_simulation_file(self):
        self.write("list.txt", "".join(f"{273158 + 43 * i}:{i}:{i}\n" for i in range(253)) + "284044:1:1\n")
        said = self.says("pick", "events.root:Sim", "-e", "list.txt", "-f", "ids", status=1, out="")
        lines = said.err.splitlines()
        self.assertEqual(lines[-1], "tagma: found 0 of 254. All 254 are in runs this tree does not have "
                                    "(list: 273158-284044, file: 1). Data list on a simulation file?")
        self.assertTrue(lines[-2].startswith("tagma: missing: 273158:0:0 273201:1:1 "))
        self.assertTrue(lines[-2].endswith(" and 244 more"))

    def test_a_simulation_list_on_a_data_file(self):
        said = self.says("pick", "events.root", "1:1:1", "1:1:2", "-f", "ids", status=1, out="")
        self.assertTrue(said.err.endswith("All 2 are in runs this tree does not have (list: 1, file: 273158-275158). "
                                          "Simulation list on a data file?\n"), said)

    def test_missing_ids_to_a_file_that_is_a_list(self):
        self.says("pick", "events.root", "7:1:1", id_of(3), "5:5", "@77", "--missing", "m.txt", "-f", "ids", status=1)
        self.assertEqual((self.dir / "m.txt").read_text(), "7:1:1\n5:5\n@77\n")
        said = self.says("pick", "events.root", "-e", "m.txt", "-f", "ids", status=1, out="")
        self.assertIn("found 0 of 3.", said.err)

    def test_none_missing_makes_an_empty_list(self):
        self.says("pick", "events.root", id_of(3), "--missing", "m.txt", "-f", "ids")
        self.assertEqual((self.dir / "m.txt").read_text(), "")

    def test_an_empty_list_is_an_honest_no(self):
        self.write("empty.txt", "# nothing\n\n")
        self.says("pick", "events.root", "-e", "empty.txt", status=1, out="",
                  err=FRIEND + IDS + "tagma: empty.txt holds no event ids\n")

    def test_another_depth_is_no_missing_id(self):
        self.write("list.txt", "1:2:3\n")
        self.says("pick", "events.root:ntuple", "-e", "list.txt", status=2, out="",
                  err="ids: run=runNumber event=eventNumber\n"
                      "tagma: list.txt line 1 has 3 numbers, tree ntuple has 2 (run=runNumber, event=eventNumber). "
                      "Remove the middle one, or name the columns with --ids A,B,C\n")

    def test_a_rounded_number(self):
        self.write("list.csv", "run,event\n3,1.23457e+09\n")
        self.says("pick", "events.root:ntuple", "-e", "list.csv", status=2, out="",
                  err="ids: run=runNumber event=eventNumber\n"
                      'tagma: list.csv line 2: event "1.23457e+09" has been rounded (6 digits written, 10 needed); it '
                      'cannot name an event. Write the ids as integers: df.astype("int64"), np.savetxt(fmt="%d")\n')

    def test_no_id_columns(self):
        said = self.says("pick", "events.root:plain", "5", status=2, out="")
        self.assertIn("tagma: no id columns found in tree plain. Looked for ", said.err)
        for words in ("eventnumber", "luminosityblock", "runnum", "@N", "--ids A,B,C"):
            self.assertIn(words, said.err)

    def test_two_candidates(self):
        said = self.says("pick", "events.root:two", "5", status=2, out="")
        self.assertIn("run and runNumber", said.err)

    def test_an_unknown_column_is_told_before_an_index_is_built(self):
        said = self.says("pick", "events.root", id_of(3), "-c", "Muon_p", status=2, out="")
        self.assertIn('tagma: no branch named "Muon_p" (near: Muon_pt)\n', said.err)
        self.assertNotIn("index built", said.err)

    def test_an_unsupported_column_named_exactly(self):
        said = self.says("pick", "events.root", id_of(3), "-c", "lookup", status=2, out="")
        self.assertIn("tagma: branch lookup cannot be read: ", said.err)
        said = self.says("pick", "events.root", id_of(3), "-c", "l*", "-f", "jsonl")
        self.assertEqual(list(said.objects[0])[3:], ["luminosityBlock"])


class Several(Case):
    def test_entries_with_equal_ids_are_delivered_and_compared(self):
        said = self.says("pick", "events.root", id_of(10), id_of(11), "-f", "jsonl")
        self.assertEqual([row["@entry"] for row in said.objects], [10, 30, 11, 31])
        self.assertIn("2 ids have several entries (1 equal in all columns read, 1 different)\n"
                      "273158:3:110: 2 entries (@10, @30), equal in all columns read\n"
                      "273158:3:111: 2 entries (@11, @31), different\n", said.err)

    def test_columns_that_are_not_read_are_not_compared(self):
        said = self.says("pick", "events.root", id_of(11), "-c", "run", "-f", "csv")
        self.assertIn("1 id has several entries (1 equal in all columns read)\n", said.err)
        said = self.says("pick", "events.root", id_of(11), "-f", "ids")
        self.assertIn("1 id has several entries (1 not compared)\n", said.err)

    def test_unique_error_comes_before_any_row(self):
        said = self.says("pick", "events.root", id_of(1), id_of(10), "--unique", "error", "-f", "ids", status=2, out="")
        self.assertIn("tagma: 1 id has several entries, and --unique error allows none: 273158:3:110\n", said.err)
        self.says("pick", "events.root", id_of(1), "--unique", "error", "-f", "ids", out=id_of(1) + "\n")
        self.says("pick", "events.root", id_of(10), "--unique", "all", "-f", "ids", out=2 * (id_of(10) + "\n"))

    def test_equal_over_files(self):
        (self.dir / "copy.root").write_bytes((self.dir / "events.root").read_bytes())
        said = self.says("pick", "events.root", "copy.root", id_of(5), "-f", "csv", "-c", "run,text")
        self.assertIn("273158:2:105: 2 entries (events.root @5, copy.root @5), equal in all columns read\n", said.err)


class Report(Case):
    def report(self, *arguments, status=0):
        self.says("pick", *arguments, "--report", "r.json", status=status)
        return json.loads((self.dir / "r.json").read_text())

    def test_all_of_it(self):
        report = self.report("events.root", id_of(10), id_of(11), id_of(11), "7:1:1", "273158:9:1", "273158:1:9", "@99",
                             status=1)
        self.assertEqual(report, {
            "asked": 7, "found": 3, "repeated": 1, "missing": ["7:1:1", "273158:9:1", "273158:1:9", "@99"],
            "unknown": [], "causes": [], "reasons": {"run": 1, "lumi": 1, "event": 1, "entry": 1},
            "duplicates": [{"coordinate": id_of(10), "rows": [["events.root", 10], ["events.root", 30]], "equal": True},
                           {"coordinate": id_of(11), "rows": [["events.root", 11], ["events.root", 31]],
                            "equal": False}],
            "damaged": []})
        self.assertEqual(list(report)[:4], ["asked", "found", "repeated", "missing"])

    def test_axes_named_by_hand(self):
        report = self.report("events.root:two", "1:7", "2:0", "--ids", "runNumber,event", status=1)
        self.assertEqual(report["reasons"], {"run": 0, "lumi": 0, "event": 1, "runNumber": 1})

    def test_not_compared_is_null(self):
        self.assertIsNone(self.report("events.root", id_of(10), "-f", "ids")["duplicates"][0]["equal"])


class Formats(Case):
    def test_jsonl_numbers_read_back_to_the_same_bits(self):
        rows = self.says("pick", "events.root", *[f"@{i}" for i in range(30)], "-c", "f,d,big,huge,small,HLT_A", "-f",
                         "jsonl").objects
        bits = lambda pattern: struct.unpack("<f", struct.pack("<I", pattern))[0]
        floats = [0.1, 1e20, 1e-7, 16777217.0, bits(1), bits(0x7f7fffff), -0.0, "NaN", "Infinity", "-Infinity", 1.5]
        doubles = [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0, "NaN", "-Infinity", 123456789.123, 1e22]
        for i, row in enumerate(rows):
            f, d = floats[i % len(floats)], doubles[i % len(doubles)]
            if isinstance(f, str):
                self.assertEqual(row["f"], f)
            else:
                self.assertEqual(struct.pack("<f", row["f"]), struct.pack("<f", f))
            if isinstance(d, str):
                self.assertEqual(row["d"], d)
            else:
                self.assertEqual(struct.pack("<d", row["d"]), struct.pack("<d", d))
            self.assertEqual((row["big"], row["huge"], row["small"]), (-2**63 + i, 2**64 - 1 - i, i - 20))
            self.assertIs(row["HLT_A"], i % 2 == 1)

    def test_f32_is_as_short_as_f32_allows(self):
        said = self.says("pick", "events.root", "@0", "-c", "f,d", "-f", "jsonl")
        self.assertEqual(said.out, '{"@file":"events.root","@entry":0,"@id":"273158:1:100","f":0.1,"d":0.1}\n')

    def test_bytes_that_are_not_utf8(self):
        said = self.says("pick", "events.root", "@20", "@5", "-c", "text", "-f", "jsonl")
        self.assertIn('"text":"caf\\u00e9"}', said.lines[0])
        self.assertIn('"text":"caf\u00e9"}', said.lines[1])

    def test_lists_and_arrays(self):
        row = self.says("pick", "events.root", "@2", "-c", "Muon_*,fixed,nested,words", "-f", "jsonl").objects[0]
        self.assertEqual(row["Muon_pt"], [20.25, 21.25])
        self.assertEqual(row["Muon_charge"], [1, -1])
        self.assertEqual(row["fixed"], [[20, 21, 22], [23, 24, 25]])
        self.assertEqual(row["nested"], [[2], [2, 2.25]])
        self.assertEqual(row["words"], ["word 0", "word 1"])

    def test_csv_is_what_csv_readers_read(self):
        said = self.says("pick", "events.root", *[f"@{i}" for i in range(9)], "-c", "text,words,nMuon,d", "-f", "csv")
        self.assertEqual(said.out.split("\n", 1)[0], "@file,@entry,@id,nMuon,d,text,words".replace("nMuon,d,", "d,nMuon,"))
        rows = list(csv.DictReader(io.StringIO(said.out, newline="")))
        texts = ["plain", "comma, here", 'quote " here', "line\nbreak", "", "caf\u00e9", "tab\there", " blank "]
        self.assertEqual([row["text"] for row in rows], [texts[i % 8] for i in range(9)])
        self.assertEqual(json.loads(rows[2]["words"]), ["word 0", "word 1"])
        self.assertTrue(math.isnan(float(rows[5]["d"])))

    def test_columns_stand_in_tree_order_whatever_is_asked(self):
        said = self.says("pick", "events.root", "@1", "-c", "nMuon,run,HLT_*", "-f", "csv")
        self.assertEqual(said.lines[0], "@file,@entry,@id,run,HLT_A,HLT_B,nMuon")

    def test_the_csv_of_pick_is_a_list(self):
        first = self.says("pick", "events.root", *[id_of(i) for i in (3, 10, 34)], "-c", "run", "-f", "csv")
        self.write("again.csv", first.out)
        said = self.says("pick", "events.root", "-e", "again.csv", "--once", "-c", "run", "-f", "csv", out=first.out)
        self.assertEqual(said.status, 0)

    def test_table(self):
        said = self.says("pick", "events.root", "@3", "@4", "-c", "run,f,text", "-f", "table")
        self.assertEqual(said.out, """\
@file        @entry  @id              run         f  text
events.root       3  273158:1:103  273158  16777216  line\\x0abreak
events.root       4  273158:2:104  273158     1e-45
""")

    def test_json_is_jsonl(self):
        self.assertEqual(self.says("pick", "events.root", "@3", "--json").out,
                         self.says("pick", "events.root", "@3", "-f", "jsonl").out)


class Damage(Case):
    """The basket of Muon_pt that holds entries 8 to 15 is destroyed."""

    def setUp(self):
        super().setUp()
        self.bad("bad.root", "Muon_pt")

    def bad(self, name, column):
        """The key of the second basket of a column claims another length of its object."""
        content = (self.dir / "events.root").read_bytes()
        mark = b"\x07TBasket" + bytes([len(column)]) + column.encode() + b"\x06Events"
        places = []
        at = content.find(mark)
        while at >= 0:
            places.append(at)
            at = content.find(mark, at + 1)
        # One basket of the older cycle, then those of the newer one. fObjlen stands 20 bytes before the class's name.
        self.assertEqual(len(places), 6)
        self.damage("events.root", name, [places[2] - 19])

    def test_others_are_exact_and_the_damage_is_null_told_and_exit_2(self):
        said = self.says("pick", "bad.root", "@7", "@8", "@9", "@16", "-c", "nMuon,Muon_*", "-f", "jsonl", status=2)
        rows = said.objects
        self.assertEqual([row["Muon_pt"] is None for row in rows], [False, True, True, False])
        self.assertEqual([len(row["Muon_charge"]) for row in rows], [3, 0, 1, 0])
        told = [line for line in said.err.splitlines() if line.startswith("tagma: ")]
        self.assertEqual(len(told), 1, said)
        for words in ("bad.root", "Events", "Muon_pt"):
            self.assertIn(words, told[0])

    def test_csv_and_table(self):
        said = self.says("pick", "bad.root", "@8", "-c", "nMuon,Muon_*", "-f", "csv", status=2)
        self.assertEqual(said.lines[1], "bad.root,8,273158:3:108,0,,\"[]\"")
        said = self.says("pick", "bad.root", "@9", "-c", "nMuon,Muon_*", "-f", "table", status=2)
        self.assertEqual(said.lines[1].split(), ["bad.root", "9", "273158:3:109", "1", "damaged", "[1]"])

    def test_what_is_not_damaged_is_no_trouble(self):
        self.says("pick", "bad.root", "@8", "-c", "run,Muon_charge", "-f", "csv")

    def test_a_damaged_count_makes_what_it_counts_null(self):
        self.bad("count.root", "nMuon")
        row = self.says("pick", "count.root", "@9", "-c", "run,nMuon,Muon_*", "-f", "jsonl", status=2).objects[0]
        self.assertEqual((row["run"], row["nMuon"], row["Muon_pt"], row["Muon_charge"]), (273158, None, None, None))

    def test_told_once_whatever_is_read(self):
        said = self.says("scan", "bad.root", "-c", "nMuon,Muon_*", "-f", "jsonl", status=2)
        self.assertEqual(said.err.count("tagma: "), 1, said)
        self.assertEqual(sum(row["Muon_pt"] is None for row in said.objects), 8)

    def test_in_the_report_and_no_judgement_on_equality(self):
        said = self.says("pick", "bad.root", id_of(10), "-c", "nMuon,Muon_*", "-f", "jsonl", "--report", "r.json", status=2)
        report = json.loads((self.dir / "r.json").read_text())
        self.assertEqual(len(report["damaged"]), 1)
        self.assertEqual(report["damaged"][0]["column"], "Muon_pt")
        self.assertIsNone(report["duplicates"][0]["equal"])
        self.assertEqual(len(said.objects), 2)

    def test_a_damaged_id_column_refuses_pick_and_index(self):
        self.bad("ids.root", "event")
        said = self.says("pick", "ids.root", id_of(1), id_of(9), "-f", "ids", status=2, out="")
        self.assertIn("unknown: 273158:1:101 273158:3:109", said.err)
        self.says("index", "ids.root", status=2, out="")
        self.assertFalse((self.dir / "ids.root.tgx").exists())

    def test_unknown_is_not_missing_and_the_other_files_are_delivered(self):
        self.bad("ids.root", "event")
        said = self.says("pick", "ids.root", "events.root", id_of(1), "7:7:7", "-f", "entries", "--report", "r.json",
                         "--missing", "m.txt", status=2)
        self.assertEqual(said.out, "file,entry\nevents.root,1\n")
        self.assertIn("tagma: unknown: 7:7:7\n", said.err)
        self.assertIn("1 is unknown, not missing: 1 of 2 files could not be searched (", said.err)
        report = json.loads((self.dir / "r.json").read_text())
        self.assertEqual((report["missing"], report["unknown"]), ([], ["7:7:7"]))
        self.assertEqual(len(report["causes"]), 1)
        self.assertEqual((self.dir / "m.txt").read_text(), "")

    def test_a_file_that_is_not_there_makes_ids_unknown(self):
        said = self.says("pick", "absent.root", "events.root", id_of(1), "7:7:7", "-f", "entries", status=2)
        self.assertEqual(said.out, "file,entry\nevents.root,1\n")
        self.assertIn("tagma: unknown: 7:7:7\n", said.err)
        said = self.says("pick", "absent.root", "events.root", id_of(1), "-f", "entries", status=2)
        self.assertEqual(said.out, "file,entry\nevents.root,1\n")


class Many(Case):
    def test_hundreds_of_files_with_few_open(self):
        """At most 64 files are open at once: here the system allows 80."""
        (self.dir / "many").mkdir()
        for i in range(300):
            os.link(self.dir / "events.root", self.dir / "many" / f"{i:03}.root")
        self.write("names.txt", "".join(f"many/{i:03}.root\n" for i in range(300)))
        for asked in ("@5", id_of(5)):
            done = subprocess.run(["sh", "-c", f"ulimit -n 80; exec '{TAGMA}' pick --files names.txt {asked} -f csv -c run"],
                                  cwd=self.dir, env=environment(), capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            lines = done.stdout.decode().splitlines()
            self.assertEqual(lines[1:], [f"many/{i:03}.root,5,{id_of(5)},273158" for i in range(300)])


class Memory(Case):
    def test_asked_order_goes_through_a_file_without_a_name(self):
        """Rows far beyond the eighth of 64 MB that may wait in memory."""
        scratch = self.dir / "scratch"
        scratch.mkdir()
        asked = [f"@{(i * 77) % 200}" for i in range(200)]
        self.write("list.txt", "\n".join(30 * asked))
        small = self.says("pick", "demo.root", "-e", "list.txt", "-f", "jsonl", "--max-memory", "64M",
                          env=environment(TMPDIR=scratch))
        large = self.says("pick", "demo.root", "-e", "list.txt", "-f", "jsonl", "--max-memory", "4G")
        self.assertEqual(small.raw, large.raw)
        by_file = self.says("pick", "demo.root", "-e", "list.txt", "-f", "jsonl", "--order", "file", "--max-memory", "64M")
        self.assertEqual(sorted(by_file.lines), sorted(large.lines))
        self.assertEqual(os.listdir(scratch), [])

    def test_tmpdir_that_cannot_be_written(self):
        self.write("list.txt", "\n".join(f"@{i}" for i in range(199, -1, -1)))
        said = self.says("pick", "demo.root", "-e", "list.txt", "-f", "jsonl", "--max-memory", "24M",
                         env=environment(TMPDIR=self.dir / "absent"), status=2)
        self.assertIn("(TMPDIR): rows beyond --max-memory cannot be kept there: No such file or directory; --order file "
                      "needs no room", said.err)

    def test_each_basket_is_unpacked_once(self):
        said = self.says("pick", "demo.root", "@5", "@150", "@7", "@5", "-f", "jsonl", "--stats")
        found = [line for line in said.err.splitlines() if "baskets unpacked" in line][0]
        words = found.replace(",", "").split()
        self.assertEqual(words[3], words[5])

    def test_output_does_not_depend_on_threads(self):
        asked = [f"@{(i * 77) % 200}" for i in range(200)]
        one = self.says("pick", "demo.root", *asked, "-f", "jsonl", "-j", "1")
        for jobs in ("2", "4", "7"):
            self.assertEqual(self.says("pick", "demo.root", *asked, "-f", "jsonl", "-j", jobs).raw, one.raw)
        self.assertEqual(self.says("pick", "demo.root", *asked, "-f", "jsonl", "--io", "mmap").raw, one.raw)


if __name__ == "__main__":
    unittest.main()
