# SPDX-License-Identifier: Apache-2.0
"""Options, help and arguments: one table tells all three."""
import re
import unittest

from support import Case, run

COMMANDS = ("ls", "info", "check", "index", "pick", "show", "scan")


class Help(Case):
    def test_version_goes_to_stdout(self):
        said = self.says("--version", err="")
        self.assertRegex(said.out, r"\Atagma \d+\.\d+\.\d+\n\Z")
        for command in COMMANDS:
            self.assertEqual(self.says(command, "--version", err="").out, said.out)

    def test_help_goes_to_stdout_and_lists_every_command(self):
        said = self.says("--help", err="")
        for command in COMMANDS:
            self.assertRegex(said.out, rf"(?m)^  {command} +\w")
        self.assertEqual(self.says("-h").out, said.out)

    def test_each_command_tells_its_options(self):
        for command in COMMANDS:
            said = self.says(command, "--help", err="")
            self.assertIn(f"usage: tagma {command} ", said.out)
            for option in ("-t --tree", "-j --jobs", "--max-memory", "--stats", "-q --quiet", "--io", "--files",
                           "--json", "-o --output"):
                self.assertIn(option, said.out)
            for line in said.out.splitlines():
                self.assertLessEqual(len(line), 110)

    def test_no_argument_is_trouble(self):
        self.says(status=2, out="",
                  err="tagma: usage: tagma COMMAND [options] FILE..., or tagma FILE; tagma --help tells more\n")


class Mistakes(Case):
    def test_words_and_exit_code(self):
        """Every slip of the command line is exit 2, on stderr, with the option as it was written."""
        cases = {
            ("pik",): 'no command and no file "pik" (near: pick); tagma --help lists the commands',
            ("zzzzzz",): 'no command and no file "zzzzzz"; tagma --help lists the commands',
            ("pick", "--onse"): "pick: no option --onse (near: once); tagma pick --help lists them",
            ("pick", "-x"): "pick: no option -x; tagma pick --help lists them",
            ("ls", "--once", "f"): "ls: --once belongs to pick",
            ("ls", "-e", "f"): "ls: -e belongs to pick, show",
            ("pick", "--once=3"): "pick: --once takes no value",
            ("pick", "-f", "xml"): 'pick: -f takes table|csv|jsonl|ids|entries, not "xml"',
            ("pick", "--order=random"): 'pick: --order takes asked|file, not "random"',
            ("pick", "--unique", "al"): 'pick: --unique takes all|error, not "al"',
            ("pick", "-c"): "pick: -c needs GLOB,...",
            ("pick", "-c", ""): "pick: -c needs GLOB,...",
            ("pick", "-t", "a", "-t", "b"): "pick: -t is given twice",
            ("pick", "-j", "0"): 'pick: -j takes a number from 1 to 1024, not "0"',
            ("pick", "-j2x"): 'pick: -j takes a number from 1 to 1024, not "2x"',
            ("pick", "-j", "99999999999999999999"):
                'pick: -j takes a number from 1 to 1024, not "99999999999999999999"',
            ("scan", "--count", "-1"): 'scan: --count takes a whole number from 0, not "-1"',
            ("scan", "--start", "1.5"): 'scan: --start takes a whole number from 0, not "1.5"',
            ("pick", "--max-memory", "12Q"): 'pick: --max-memory takes a size such as 512M or 2G, not "12Q"',
            ("pick", "--max-memory", "0"): 'pick: --max-memory takes a size such as 512M or 2G, not "0"',
            ("pick", "events.root"):
                "pick: no id is named; ids are run:lumi:event or @ENTRY, and -e LIST reads them",
            ("show", "events.root"):
                "show: no id is named; an id is run:lumi:event, or @ENTRY for an entry by number",
            ("ls",): "no file is named",
            ("ls", ""): "the name of a file is empty",
            ("ls", "-"): "- is no file; a list of ids from stdin is -e -",
            ("ls", "events.root", "5"):
                "ls: 5 is an id, and this command takes none; a file of that name is ./5",
            ("ls", "events.root:Sim", "-t", "ntuple"):
                "events.root:Sim names a tree, and -t ntuple another",
            ("pick", "events.root", "demo.root", "--index", "x.tgx", "1"):
                "--index is the sidecar of one file, and 2 are named",
            ("pick", "events.root", "1", "--json", "-f", "csv"): "--json and -f csv are two formats",
            ("pick", "events.root", "1", "-o", "a.csv", "--report", "a.csv"): "a.csv is to be written twice",
        }
        for arguments, words in cases.items():
            with self.subTest(arguments=arguments):
                said = self.says(*arguments, status=2, out="")
                self.assertEqual(said.err.splitlines()[-1], "tagma: " + words)

    def test_sizes(self):
        for size in ("1000000000", "900M", "1G", "1GiB", "1gb", "2T"):
            self.says("ls", "events.root", "--max-memory", size)


class Arguments(Case):
    def test_a_file_is_told_from_an_id(self):
        """Digits, colons, a leading '-' or @N are ids; -- and ./123 are for the rest."""
        for name in ("123", "-5", "1:2:3", "@4"):
            (self.dir / name).write_bytes((self.dir / "events.root").read_bytes())
            by_path = self.says("ls", "./" + name)
            self.assertEqual(self.says("ls", "--", name).out, by_path.out)
            self.says("ls", name, status=2)

    def test_flags_may_be_joined_and_values_may_touch(self):
        self.assertEqual(self.says("ls", "-lq", "events.root", "-tSim").out,
                         self.says("ls", "-l", "-q", "-t", "Sim", "events.root").out)
        self.assertEqual(self.says("ls", "--tree=Sim", "events.root").out, self.says("ls", "-t", "Sim", "events.root").out)

    def test_a_tree_behind_a_colon(self):
        self.assertEqual(self.says("ls", "events.root:Sim").out, self.says("ls", "-t", "Sim", "events.root").out)
        self.assertEqual(self.says("ls", "-l", "events.root:dir/deep").out,
                         self.says("ls", "-l", "-t", "deep", "events.root").out)

    def test_a_file_with_a_colon_in_its_name(self):
        (self.dir / "a:b.root").write_bytes((self.dir / "events.root").read_bytes())
        self.assertEqual(self.says("ls", "a:b.root").out, self.says("ls", "events.root").out)
        self.assertEqual(self.says("ls", "a:b.root:Sim").out, self.says("ls", "events.root:Sim").out)

    def test_odd_names_of_files(self):
        for name in ("with blank.root", "comma,quote\".root", "new\nline.root", "-dash.root", "caf\u00e9.root",
                     "bytes\udce9.root", "tab\there.root"):
            (self.dir / name).write_bytes((self.dir / "events.root").read_bytes())
            path = "./" + name
            said = self.says("pick", path, "@3", "-c", "nMuon", "-f", "jsonl")
            self.assertEqual(len(said.objects), 1)
            if "\udce9" not in name:
                self.assertEqual(said.objects[0]["@file"], path)

    def test_a_list_of_files_that_is_none(self):
        self.says("ls", "--files", "events.root", status=2, out="",
                  err="tagma: events.root is no list of names: it holds bytes that are no text\n")

    def test_files_from_a_list(self):
        self.write("names.txt", "# two files\nevents.root  # the first\n\n\tdemo.root\r\n")
        self.assertEqual(self.says("ls", "--files", "names.txt").out, self.says("ls", "events.root", "demo.root").out)
        self.write("none.txt", "# nothing\n")
        self.says("ls", "--files", "none.txt", status=2, err="tagma: none.txt names no file\n")
        self.says("ls", "--files", "absent.txt", status=2, err="tagma: absent.txt: No such file or directory\n")

    def test_a_bare_file_is_info(self):
        self.assertEqual(self.says("events.root").out, self.says("info", "events.root").out)


class ManualPages(unittest.TestCase):
    def test_every_option_is_in_a_page_and_nothing_else(self):
        """The table prints the help; the pages tell the same options."""
        from support import ROOT
        pages = {path.stem: path.read_text() for path in (ROOT / "docs" / "man").glob("*.1")}
        common = set(re.findall(r"Fl -([a-z-]+)", pages["tagma"]))
        known = set()
        for command in COMMANDS:
            options = set(re.findall(r"(?m)^  (?:-. |   )--([a-z-]+)", run(command, "--help").out))
            own = set(re.findall(r"Fl -([a-z-]+)", pages[f"tagma-{command}"]))
            self.assertEqual(options - own - common, set(), command)
            self.assertEqual(own - options - {"first", "coords"}, set(), command)
            known |= options
        self.assertEqual(common - known - {"first", "coords"}, set())


if __name__ == "__main__":
    unittest.main()
