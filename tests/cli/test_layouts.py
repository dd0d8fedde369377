# SPDX-License-Identifier: Apache-2.0
"""The classical layouts: read by every command as the file is, refused before anything is written, told loudly."""
import json
import unittest

from support import Case

LOUD = "LAYOUT FIXED KEEPS ONLY THE FIRST ITEM of each list, null where there is none, in "
FIXED = ("--layout", "fixed", "--skip-unsupported", "--drop", "event,big,huge")


class Layouts(Case):
    def convert(self, *arguments, out="s.tagma", **more):
        return self.says("convert", *arguments, "-o", out, **more)

    @staticmethod
    def rows_of(said):
        return [json.loads(line) for line in said.out.splitlines()]

    def rows(self, file, *arguments):
        return self.rows_of(self.says("scan", file, "-f", "jsonl", *arguments))

    def test_collection_and_blocks_hold_the_same(self):
        file = self.says("scan", "demo.root", "-f", "jsonl").raw
        for arguments, codec in ((("--layout", "collection"), "collection"),
                                 (("--layout", "collection", "--blocks", "8K"), "collection, zstd 8K"),
                                 (("--blocks", "64K", "--codec", "lz4"), "tiles of 8, lz4 64K"),
                                 (("--tile", "64", "--blocks", "256K", "-j", "2"), "tiles of 64, zstd 256K")):
            self.convert("demo.root", *arguments)
            self.assertEqual(self.says("scan", "s.tagma", "-f", "jsonl").raw, file, arguments)
            self.assertEqual(self.says("scan", "s.tagma", "-f", "jsonl", "--io", "mmap").raw, file, arguments)
            self.says("check", "s.tagma")
            self.says("verify", "s.tagma", "--against", "demo.root")
            self.assertIn(codec, self.says("info", "s.tagma").out)

    def test_a_store_in_blocks_is_smaller_and_picks_the_same(self):
        self.convert("demo.root", "--layout", "collection")
        plain = (self.dir / "s.tagma").stat().st_size
        said = self.convert("demo.root", "--layout", "collection", "--blocks", "64K", "--json").objects[0]
        self.assertEqual(said["bytes_out"], (self.dir / "s.tagma").stat().st_size)
        self.assertLess(said["bytes_out"], plain)
        ids = ("@0", "@199", "@100")
        self.assertEqual(self.says("pick", "s.tagma", *ids, "-f", "ids").out,
                         self.says("pick", "demo.root", *ids, "-f", "ids").out)

    def test_a_damaged_block_is_named(self):
        self.convert("demo.root", "--blocks", "8K")
        data = bytearray((self.dir / "s.tagma").read_bytes())
        data[len(data) // 3] ^= 1
        self.write("s.tagma", bytes(data))
        for command in (("scan", "s.tagma", "-f", "jsonl"), ("check", "s.tagma")):
            said = self.tagma(*command)
            self.assertEqual(said.status, 2)
            self.assertRegex(said.err + said.out, r"s\.tagma: block \d+, byte \d+: its checksum is [0-9a-f]{16}, its \d+ bytes give")
        damaged = self.rows_of(self.tagma("scan", "s.tagma", "-f", "jsonl"))
        sound = self.rows("demo.root")
        self.assertEqual(len(damaged), len(sound))
        lost = [row != full for row, full in zip(damaged, sound, strict=True)]
        self.assertTrue(0 < sum(lost) < 64)
        self.assertTrue(all(value is None or value == full[name] for row, full in zip(damaged, sound, strict=True)
                            for name, value in row.items()))
        for size in (1, 63, len(data) - 1):
            self.write("s.tagma", bytes(data[:size]))
            self.assertEqual(self.tagma("info", "s.tagma").status, 2)

    def test_fixed_keeps_first_items(self):
        said = self.convert("events.root", *FIXED)
        self.assertIn(LOUD + "5 branches: Muon_pt, Muon_charge, Far_e, Far_x, nested\n", said.err)
        self.assertIn("branch event is left out, so the store has no index\n", said.err)
        self.assertIn("fixed: 40 slots of 160 bytes; padding: 0 empty slots, 0 B, and 0 B behind the values of records\n",
                      said.err)
        for row, full in zip(self.rows("s.tagma"), self.rows("events.root"), strict=True):
            for name, value in row.items():
                expected = full[name]
                while isinstance(expected, list) and name != "fixed":
                    expected = expected[0] if expected else None
                self.assertEqual(value, expected, name)
        self.says("check", "s.tagma")
        said = self.says("verify", "s.tagma", "--against", "events.root")
        self.assertIn("not in the store: ", said.err)

    def test_fixed_lies_in_the_order_of_ids(self):
        said = self.convert("demo.root", "--layout", "fixed")
        self.assertRegex(said.err, r"fixed: 1 x 1?\d x \d+ = \d+ slots of \d,\d{3} bytes; padding: \d+ empty slots, ")
        self.says("verify", "s.tagma", "--against", "demo.root")
        self.says("check", "s.tagma")
        ids = [tuple(map(int, line.split(":"))) for line in self.says("scan", "s.tagma", "-f", "ids").out.split()]
        self.assertEqual(ids, sorted(ids))
        name = ":".join(map(str, ids[150]))
        here, there = (json.loads(self.says("pick", file, name, "-f", "jsonl", "-c", "event,MET_pt").out)
                       for file in ("s.tagma", "demo.root"))
        self.assertEqual(here["event"], ids[150][2])
        self.assertEqual(here, there)

    def test_fixed_takes_several_files(self):
        for arguments in ((), ("--blocks", "8K")):
            said = self.convert("events.root", "events.root", *FIXED, *arguments)
            self.assertIn("fixed: 80 slots of 160 bytes", said.err)
            self.says("verify", "s.tagma", "--against", "events.root", "events.root")
        said = self.convert("demo.root", "demo.root", "--layout", "fixed", "--sort")
        self.assertIn("200 ids have several entries, of 200 ids; all are kept\n", said.err)
        self.says("verify", "s.tagma", "--against", "demo.root", "demo.root")

    def test_fixed_refuses_before_it_writes(self):
        for arguments, words in (
                (("events.root",),
                 "tagma: events.root: 3 branches cannot be kept; leave them out with --skip-unsupported: text (a record of doubles "
                 "holds no string), words (a record of doubles holds no string), lookup (map<int,int> is not read)\n"),
                (("events.root", "--skip-unsupported"),
                 "tagma: branch event: entry 33 is 9007199254740993, which no double holds; leave the branch out with "
                 "--drop event\n"),
                (("events.root", "--skip-unsupported", "--drop", "event,big,huge", "--record-bytes", "100"),
                 "tagma: s.tagma: records of 100 bytes are too short: 20 doubles take 160; --record-bytes takes that or more\n"),
                (("events.root", "--skip-unsupported", "--drop", "event,big,huge", "--record-bytes", "1M", "--max-output",
                  "30M"),
                 "tagma: s.tagma: 40 slots of 1048576 bytes take 41943040 bytes for 40 events, over the limit of 31457280; "
                 "--max-output SIZE allows more\n")):
            said = self.convert(*arguments, "--layout", "fixed", status=2)
            self.assertEqual(said.err.splitlines(True)[-1], words)
            self.assertFalse((self.dir / "s.tagma").exists())

    def test_records_are_padded(self):
        said = self.convert("events.root", *FIXED, "--record-bytes", "1K", "--json")
        self.assertIn("padding: 0 empty slots, 0 B, and 34.6 kB behind the values of records\n", said.err)
        self.assertEqual(said.objects[0]["fixed"], {"bounds": [40], "slots": 40, "record_bytes": 1024, "empty_bytes": 0,
                                                    "padding_bytes": 40 * (1024 - 160), "first_items": 5})
        self.says("verify", "s.tagma", "--against", "events.root")

    def test_options_of_other_layouts_are_refused(self):
        for arguments, words in (
                (("--layout", "rows"), 'tagma: convert: --layout takes tiles|collection|fixed, not "rows"\n'),
                (("--layout", "fixed", "--tile", "8"), "tagma: --tile belongs to --layout tiles, not to fixed\n"),
                (("--layout", "collection", "--no-sparse"),
                 "tagma: --no-sparse belongs to --layout tiles, not to collection\n"),
                (("--layout", "collection", "--columns", "all"),
                 "tagma: --columns belongs to --layout tiles, not to collection\n"),
                (("--record-bytes", "8K"), "tagma: --record-bytes belongs to --layout fixed\n"),
                (("--max-output", "8K"), "tagma: --max-output belongs to --layout fixed\n"),
                (("--codec", "lz4"), "tagma: convert: --codec belongs to --blocks\n"),
                (("--blocks", "64K", "--codec", "lzma"), 'tagma: convert: --codec takes zstd|lz4, not "lzma"\n'),
                (("--blocks", "4K"), "tagma: convert: --blocks takes a power of 2 from 8K to 256K, not 4096\n"),
                (("--blocks", "96K"), "tagma: convert: --blocks takes a power of 2 from 8K to 256K, not 98304\n")):
            self.assertEqual(self.convert("demo.root", *arguments, status=2).err.splitlines(True)[0], words)


if __name__ == "__main__":
    unittest.main()
