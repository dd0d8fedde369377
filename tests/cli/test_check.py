# SPDX-License-Identifier: Apache-2.0
"""tagma check: sound is exit 0, any fault is exit 2 and has a line of its own."""
import unittest

from support import EDGE, Case, needs_collection


class Check(Case):
    def test_with_columns_a_tree_without_them_is_passed_over(self):
        said = self.says("check", "events.root", "-c", "Muon_pt", err="")
        self.assertIn("events.root: sound. ", said.out)
        said = self.says("check", "events.root", "-c", "Muon_pt,Muon_q", status=2)
        self.assertRegex(said.err, r'\Atagma: events.root: no branch named "Muon_q"[^\n]*\n\Z')
        self.assertIn("events.root: not all was checked. ", said.out)

    def test_too_little_memory_is_no_fault_of_the_file(self):
        said = self.says("check", "demo.root", "--max-memory", "3M", status=2)
        self.assertRegex(said.err, r"\Atagma: demo.root: tree .* memory limit of \d+ bytes; --max-memory allows more\n\Z")
        self.assertIn("demo.root: not all was checked. ", said.out)
        said = self.says("check", "demo.root", "--max-memory", "3M", "--json", status=2)
        self.assertEqual((said.objects[0]["sound"], said.objects[0]["faults"]), (False, []))

    def test_a_sound_file(self):
        said = self.says("check", "events.root", err="")
        self.assertRegex(said.out, r"\Aevents.root: sound. 10 trees, 60 branches, 144 baskets, \d+ other records checked; "
                                   r"2 unsupported branches \(lookup, lookup\)\n\Z")

    def test_json(self):
        said = self.says("check", "events.root", "y.root", "--json", err="").objects
        self.assertEqual([file["file"] for file in said], ["events.root", "y.root"])
        self.assertEqual((said[0]["sound"], said[0]["faults"]), (True, []))
        self.assertEqual(said[0]["trees"][0]["unsupported"][0]["name"], "lookup")
        self.assertEqual(sum(tree["baskets"] for tree in said[0]["trees"]), 144)

    def fault(self):
        content = (self.dir / "events.root").read_bytes()
        mark = b"\x07TBasket\x07Muon_pt\x06Events"
        first = content.find(mark)
        second = content.find(mark, first + 1)
        self.damage("events.root", "bad.root", [content.find(mark, second + 1) - 19])

    def test_a_line_a_fault_with_file_tree_branch_basket_byte(self):
        self.fault()
        said = self.says("check", "bad.root", status=2, err="")
        self.assertEqual(len(said.lines), 2, said)
        self.assertRegex(said.lines[0], r"bad.root.*Events.*Muon_pt.*basket 1.*\d{3,}")
        self.assertRegex(said.lines[1], r"^bad.root: 1 fault. 10 trees, 60 branches, ")
        faults = self.says("check", "bad.root", "--json", status=2, err="").objects[0]["faults"]
        self.assertEqual((faults[0]["tree"], faults[0]["column"], faults[0]["basket"]), ("Events;2", "Muon_pt", 1))
        self.assertEqual((faults[0]["first_entry"], faults[0]["entries"]), (8, 8))

    def test_one_tree_or_some_columns(self):
        self.fault()
        self.says("check", "bad.root", "-t", "Sim", err="")
        self.says("check", "bad.root:Events", "-c", "run,Muon_charge", err="")
        self.says("check", "bad.root:Events", "-c", "Muon_pt", status=2)

    def test_cut_files(self):
        content = (self.dir / "events.root").read_bytes()
        for size in (0, 50, 1000, 20000, len(content) - 1):
            self.write("cut.root", content[:size])
            said = self.says("check", "cut.root", status=2)
            self.assertRegex(said.lines[-1], r"^cut.root: \d+ faults?. ")

    def test_unclosed_is_a_fault(self):
        path = EDGE / "killed-autosave.root"
        said = self.says("check", path, status=2)
        self.assertIn("never closed", said.out)

    def test_a_damaged_tree_is_one_fault_and_hides_no_other(self):
        content = (self.dir / "events.root").read_bytes()
        at = content.find(b"\x05TTree\x03Sim\x03Sim")
        self.damage("events.root", "bad.root", range(at + 40, at + 60))
        said = self.says("check", "bad.root", status=2, err="")
        self.assertEqual(len(said.lines), 2, said)
        self.assertIn('TTree "Sim"', said.lines[0])
        self.assertRegex(said.lines[1], "^bad.root: 1 fault. 9 trees, ")
        said = self.says("ls", "bad.root", status=2)
        self.assertRegex(said.out, r"(?m)^Sim +1 +damaged +Sim$")
        self.says("pick", "bad.root", "105", "-f", "ids", out="273158:2:105\n")

    def test_one_bad_file_does_not_hide_the_others(self):
        self.write("text.root", "no ROOT file")
        said = self.says("check", "text.root", "absent.root", "y.root", status=2, err="")
        self.assertRegex(said.lines[-1], "^y.root: sound. ")
        self.assertIn("absent.root: cannot be opened: No such file or directory\n", said.out)

    def test_every_column_of_a_wide_file(self):
        path = needs_collection("nano_dimuon.root")
        said = self.says("check", path, "-j", "2", err="")
        self.assertIn(": sound. 2 trees, 1,602 branches, 1,602 baskets, ", said.out)


if __name__ == "__main__":
    unittest.main()
