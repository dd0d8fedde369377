# SPDX-License-Identifier: Apache-2.0
"""The commands that read take a store as they take a file; a damaged one gives words and exit 2, never other values."""
import json
import struct
import unittest

from support import Case, needs_collection

IDS = "ids: run=run lumi=luminosityBlock event=event\n"
INDEX = 5


class Store(Case):
    def setUp(self):
        super().setUp()
        self.says("convert", "events.root", "-t", "Events;2", "--skip-unsupported", "-q", "-o", "s.tagma")
        self.content = (self.dir / "s.tagma").read_bytes()

    def section(self, wanted):
        """Where a section lies: docs/FORMAT.md, "Store"."""
        n = struct.unpack_from("<I", self.content, 64)[0]
        for i in range(n):
            number, _, offset, size, _ = struct.unpack_from("<IIQQQ", self.content, 128 + 32 * i)
            if number == wanted:
                return offset, size
        return None


class Commands(Store):
    def test_ls(self):
        self.says("ls", "s.tagma", err="",
                  out="tree    cycle  entries  branches  title\nEvents      2       40        20  the events\n")
        said = self.says("ls", "-l", "s.tagma", err="")
        self.assertRegex(said.out, r"(?m)^Muon_pt +f32\[nMuon\] +1 +110 +240 +2\.18 +offset +Muon_pt\[nMuon\]/F$")

    def test_ls_says_the_same_types_and_titles_as_of_the_file(self):
        columns = [{c["name"]: (c["type"], c["title"]) for c in self.says("ls", "-l", "--json", *arguments).objects[0]
                    ["trees"][0]["columns"] if c["supported"]} for arguments in (("s.tagma",), ("events.root", "-t", "Events"))]
        self.assertEqual(*columns)

    def test_info_and_the_bare_name(self):
        said = self.says("info", "s.tagma", err="")
        for line in ("kind       Tagma store, format 1", "layout     tiles of 32", "condition  closed",
                     "indexed    3 runs (273158-275158), 10 luminosity blocks, 38 events",
                     "duplicates 2 ids have several entries", "options    --skip-unsupported"):
            self.assertIn(f"  {line}\n", said.out)
        self.assertRegex(said.out, r"(?m)^  size       [\d.]+ kB \(10,[\d,]+ bytes\)$")
        self.assertRegex(said.out, r"(?m)^  made of    events.root, tree Events;2, 40 entries, 31.9 kB, uuid [0-9a-f-]{36}$")
        self.assertRegex(said.out, r"(?m)^    event +u64 +signed +\d+ B +0 B +[\d.]+ B +[\d.]+$")
        self.assertEqual(self.says("s.tagma", err="").out, said.out)

    def test_info_counts_every_byte_once(self):
        said = json.loads(self.says("info", "--json", "s.tagma").out)
        store = said["trees"][0]["store"]
        self.assertEqual(sum(store[part] for part in ("tile_bytes", "hot_bytes", "index_bytes", "other_bytes")),
                         len(self.content))
        self.assertEqual(said["trees"][0]["bytes"], sum(group["bytes"] for group in said["trees"][0]["collections"]))
        self.assertGreater(said["trees"][0]["bytes"], 0)

    def test_check(self):
        self.says("check", "s.tagma", err="",
                  out="s.tagma: sound. 1 tree, 20 branches, 12 tiles and chunks, 0 other records checked\n")

    def test_scan_gives_what_the_file_gives(self):
        for arguments in ((), ("-f", "jsonl"), ("-f", "ids"), ("-c", "event,Muon_*,words", "--start", 30, "--count", 9)):
            file = self.says("scan", "events.root", "-t", "Events;2", "-q", *arguments).raw
            for more in ((), ("--io", "mmap"), ("--verify",), ("--verify", "--io", "mmap")):
                self.assertEqual(self.says("scan", "s.tagma", "-q", *arguments, *more).raw, file, (arguments, more))

    def test_pick_tells_the_source(self):
        self.says("pick", "s.tagma", "110", "@39", "999", "-c", "run", status=1,
                  out="@file,@entry,@id,run\nevents.root,10,273158:3:110,273158\nevents.root,30,273158:3:110,273158\n"
                      "events.root,39,275158:10:139,275158\n",
                  err=IDS + "1 id has several entries (1 equal in all columns read)\n"
                            "110: 2 entries (@10, @30), equal in all columns read\ntagma: missing: 999\n"
                            "tagma: found 2 of 3. It is an event this tree does not have.\n")

    def test_show(self):
        said = self.says("show", "s.tagma", "@0", err=IDS)
        file = self.says("show", "events.root", "-t", "Events;2", "@0")
        self.assertEqual(said.lines[0], "s.tagma  Events;2  entry 0  273158:1:100")
        self.assertEqual(said.lines[1:], file.lines[1:])

    def test_a_tree_it_does_not_hold(self):
        for command in ("ls", "info", "scan", "pick"):
            said = self.says(command, "s.tagma", "-t", "Sim", *(["@0"] if command == "pick" else []), status=2, out="")
            self.assertIn('tagma: s.tagma holds no tree "Sim" (it holds Events;2)\n', said.err)

    def test_stats_tell_requests_bytes_and_tiles(self):
        said = self.says("pick", "s.tagma", "@0", "-f", "jsonl", "--stats")
        self.assertRegex(said.err, r"(?m)^stats: requests \d+, bytes read \d+, used \d+$")
        self.assertRegex(said.err, r"(?m)^stats: baskets unpacked \d+, distinct \d+, ")


class Texts(Case):
    """Trigger names, 37 characters each and few of them, stand in the store once."""
    AS_BYTES = 232_128  # the same store where each has its characters

    def setUp(self):
        super().setUp()
        self.path = needs_collection("uproot-issue243-new.root")

    def test_names_that_repeat_take_a_third_at_most(self):
        self.says("convert", self.path, "-t", "triggerList", "--columns", "none", "-q", "-o", "s.tagma")
        self.assertLessEqual((self.dir / "s.tagma").stat().st_size, self.AS_BYTES // 3)
        self.says("verify", "s.tagma", self.path)
        self.says("check", "s.tagma")
        columns = self.says("info", "s.tagma", "--json").objects[0]["trees"][0]["store"]["columns"]
        self.assertEqual([c["code"] for c in columns if c["name"] == "triggerMap.first"], ["texts"])
        self.says("info", "s.tagma", "--html", "s.html")
        self.assertIn("texts", (self.dir / "s.html").read_text())

    def test_they_read_as_the_file_does_wherever_from(self):
        for columns in ("none", "all"):
            with self.subTest(columns=columns):
                store = f"{columns}.tagma"
                self.says("convert", self.path, "-t", "triggerList", "--columns", columns, "-q", "-o", store)
                self.says("diff", store, self.path, "-t", "triggerList")
                for read in (("scan",), ("scan", "-c", "triggerMap.first"), ("pick", "@10251", "@7", "@8", "@5000")):
                    of_store, of_file = (self.says(*read, *file, "-f", "csv").out for file in
                                         ((store,), (self.path, "-t", "triggerList")))
                    self.assertEqual(of_store, of_file)


class Damage(Store):
    READERS = (("ls",), ("info",), ("scan",), ("show", "@0"), ("pick", "@0"), ("check",), ())

    def refused(self, name, words):
        """No command reads it; check says it on stdout, where its lines are data."""
        for command in self.READERS:
            said = self.says(*command[:1], name, *command[1:], status=2)
            self.assertIn(words, said.out if command == ("check",) else said.err, command)
            if command != ("check",):
                self.assertEqual(said.out, "", command)

    def test_cut(self):
        for size, words in ((8, "the file ends at byte 8, the head of a store has 4096"),
                            (4095, "the file ends at byte 4095, the head of a store has 4096"),
                            (4096, f"the file ends at byte 4096, the store has {len(self.content)} bytes"),
                            (len(self.content) - 1, f"the file ends at byte {len(self.content) - 1}, the store has ")):
            self.write("cut.tagma", self.content[:size])
            self.refused("cut.tagma", f"cut.tagma: {words}")

    def test_foreign_and_empty(self):
        self.write("foreign.tagma", b"\x89PNG\r\n\x1a\n" + self.content[8:])
        self.refused("foreign.tagma", "foreign.tagma: neither a ROOT file nor a Tagma store: byte 0 is 89 50 4e 47, ")
        self.write("empty.tagma", b"")
        self.refused("empty.tagma", "empty.tagma: 0 bytes are neither a ROOT file nor a Tagma store")

    def test_a_newer_version(self):
        self.write("new.tagma", self.content[:8] + b"\x02" + self.content[9:])
        self.refused("new.tagma", "new.tagma: byte 8: store of format 2.1, this program reads 1")

    def test_sizes_that_overflow(self):
        for place in (64, *range(128 + 8, 128 + 24, 8)):
            content = bytearray(self.content)
            content[place:place + 8] = b"\xff" * 8
            self.write("big.tagma", bytes(content))
            self.refused("big.tagma", "big.tagma: byte 4088: the head's checksum is ")

    def test_a_flipped_tile(self):
        self.damage("s.tagma", "bad.tagma", [5000])
        words = r"bad.tagma: tile of entry 0, byte 4096: its checksum is [0-9a-f]{8}, its bytes give [0-9a-f]{8}"
        said = self.says("check", "bad.tagma", status=2, err="")
        self.assertRegex(said.lines[0], f"^{words}$")
        self.assertEqual(said.lines[1], "bad.tagma: 1 fault. 1 tree, 20 branches, 12 tiles and chunks, 0 other records checked")
        sound = self.says("scan", "s.tagma", "-q", "-f", "jsonl").objects
        for more in (("--io", "pread"), ("--io", "mmap"), ("--verify", "--io", "mmap")):
            said = self.says("scan", "bad.tagma", "-f", "jsonl", *more, status=2)
            self.assertRegex(said.err, words)
            for row, found in zip(sound, said.objects, strict=True):
                for name, value in found.items():
                    self.assertIn(value, (None, row[name]), name)
            self.assertEqual(said.objects[32:], sound[32:])

    def test_verify_finds_what_a_narrow_scan_of_a_mapped_store_passes_over(self):
        self.damage("s.tagma", "bad.tagma", [5000])
        column = ("scan", "bad.tagma", "-c", "fixed", "-f", "jsonl", "--io", "mmap")
        self.says(*column, err="")
        said = self.says(*column, "--verify", status=2)
        self.assertIn("bad.tagma: tile of entry 0, byte 4096: its checksum is ", said.err)
        self.assertEqual(said.objects[:32], [{"fixed": None}] * 32)
        self.assertEqual(said.objects[32:], self.says("scan", "s.tagma", "-c", "fixed", "-f", "jsonl").objects[32:])

    def test_a_wrong_index_is_told_by_what_needs_it(self):
        offset, size = self.section(INDEX)
        self.damage("s.tagma", "bad.tagma", [offset + size - 100])
        self.says("scan", "bad.tagma", "-q", out=self.says("scan", "s.tagma", "-q").out)
        said = self.says("pick", "bad.tagma", "110", status=2, out="")
        self.assertIn("bad.tagma: section index, ", said.err)
        said = self.says("check", "bad.tagma", status=2, err="")
        self.assertIn("bad.tagma: section index, ", said.lines[0])

    def test_verify_of_the_fixed_layout(self):
        self.says("convert", "events.root", "-t", "Sim", "--layout", "fixed", "-q", "-o", "f.tagma")
        content = (self.dir / "f.tagma").read_bytes()
        sound = self.says("scan", "f.tagma", "-q", "-f", "jsonl").objects
        names = list(sound[0])
        for place in range(4096, 4096 + 64):
            self.damage("f.tagma", "bad.tagma", [place])
            for name in names:
                column = ("scan", "bad.tagma", "-c", name, "-f", "jsonl", "--io", "mmap", "--verify")
                said = self.tagma(*column)
                for found, row in zip(said.objects, sound, strict=said.status == 0):
                    self.assertIn(found[name], (None, row[name]), (place, name))
                self.assertEqual(said.status, self.tagma("check", "bad.tagma").status, (place, name))
        self.assertEqual(len(content), (self.dir / "bad.tagma").stat().st_size)

    def test_check_finds_whatever_byte_is_turned_over(self):
        """Padding aside; and no command that reads on gives another value."""
        sound = self.says("scan", "s.tagma", "-q").raw
        for place in range(4096, len(self.content), 397):
            self.damage("s.tagma", "bad.tagma", [place])
            if self.tagma("check", "bad.tagma").status == 0:
                self.assertEqual(self.content[place], 0, place)
            said = self.tagma("scan", "bad.tagma", "-q")
            self.assertIn(said.status, (0, 2))
            if said.status == 0:
                self.assertEqual(said.raw, sound, place)


if __name__ == "__main__":
    unittest.main()
