# SPDX-License-Identifier: Apache-2.0
"""What a person sees: stdout is a terminal of some width."""
import fcntl
import os
import pty
import struct
import subprocess
import termios
import time
import unicodedata
import unittest

from support import TAGMA, Case, environment


def on_terminal(*arguments, cwd, columns=80, both=False):
    """Run with stdout (and stderr) on a terminal. @return exit code, text of the terminal, stderr otherwise."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    attributes = termios.tcgetattr(slave)
    attributes[1] &= ~termios.OPOST
    termios.tcsetattr(slave, termios.TCSANOW, attributes)
    with subprocess.Popen([TAGMA, *arguments], cwd=cwd, env=environment(), stdin=subprocess.DEVNULL, stdout=slave,
                          stderr=slave if both else subprocess.PIPE) as child:
        os.close(slave)
        text = b""
        while True:
            try:
                more = os.read(master, 65536)
            except OSError:
                break
            if not more:
                break
            text += more
        os.close(master)
        err = b"" if both else child.stderr.read()
        status = child.wait(timeout=60)
    return status, text.decode(), err.decode()


def width(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


class Terminal(Case):
    def sees(self, *arguments, status=0, columns=80):
        found, text, _ = on_terminal(*arguments, cwd=self.dir, columns=columns)
        self.assertEqual(found, status, text)
        return text

    def test_twenty_entries_and_the_columns_that_fit(self):
        for columns in (40, 80, 132, 250):
            text = self.sees("scan", "demo.root", columns=columns)
            lines = text.splitlines()
            self.assertEqual(len(lines), 22)
            self.assertLessEqual(max(map(width, lines[:-1])), columns)
            shown = len(lines[0].split()) - 1
            self.assertEqual(lines[-1], f"... 180 more entries, {947 - shown} more columns (--count, -c)")

    def test_what_is_asked_for_is_shown(self):
        text = self.sees("scan", "demo.root", "-c", "run,event", "--count", "200")
        self.assertEqual(len(text.splitlines()), 201)
        self.assertNotIn("more", text)
        self.assertTrue(self.sees("scan", "demo.root", "-c", "run,event").endswith("\n... 180 more entries (--count)\n"))
        self.assertIn("more columns (-c)\n", self.sees("scan", "demo.root", "--count", "200"))
        self.assertTrue(self.sees("scan", "demo.root", "-c", "run", "--count", "199").endswith("\n... 1 more entry (--count)\n"))

    def test_pick_is_a_table_too(self):
        text = self.sees("pick", "events.root", *[f"@{i}" for i in range(30)])
        lines = text.splitlines()
        self.assertTrue(lines[0].startswith("@file        @entry  @id "))
        self.assertEqual(len(lines), 22)
        self.assertRegex(lines[-1], r"^\.\.\. 10 more entries, \d+ more columns \(--count, -c\)$")

    def test_another_format_is_never_cut(self):
        text = self.sees("scan", "demo.root", "-f", "jsonl", "-c", "run")
        self.assertEqual(len(text.splitlines()), 200)

    def test_a_pipe_gets_csv_and_everything(self):
        said = self.says("scan", "demo.root")
        self.assertEqual(len(said.lines), 201)
        self.assertEqual(len(said.lines[0].split(",")), 947)

    def test_a_table_in_a_pipe_is_not_cut(self):
        said = self.says("scan", "demo.root", "-f", "table", "-c", "Jet_pt,Jet_eta")
        self.assertEqual(len(said.lines), 201)
        self.assertNotIn("...", said.out)

    def test_titles_of_branches_are_cut_to_the_line(self):
        lines = self.sees("ls", "-l", "demo.root", "Muon_pt", "Muon_dxy", columns=80).splitlines()
        self.assertLessEqual(max(map(width, lines)), 80)
        self.assertTrue(lines[2].endswith("..."))

    def test_wide_characters_keep_the_columns_straight(self):
        (self.dir / "\u4e8b\u4ef6.root").write_bytes((self.dir / "events.root").read_bytes())
        lines = self.sees("pick", "\u4e8b\u4ef6.root", "@1", "@39", "-c", "run").splitlines()
        self.assertEqual(lines[0], "@file      @entry  @id               run")
        self.assertEqual(lines[1], "\u4e8b\u4ef6.root       1  273158:1:101   273158")

    def test_long_cells_are_cut_and_say_so(self):
        lines = self.sees("scan", "demo.root", "-c", "Jet_pt", columns=200).splitlines()
        self.assertTrue(any(line.endswith("...") for line in lines[1:-1]), lines)
        self.assertLess(max(map(len, lines)), 60)

    def test_values_cannot_steer_the_terminal(self):
        text = self.sees("scan", "events.root", "-c", "text")
        self.assertNotRegex(text, r"[\x00-\x09\x0b-\x1f\x7f]")

    def test_no_bar_for_short_work(self):
        _, text, _ = on_terminal("check", "events.root", cwd=self.dir, both=True)
        self.assertNotIn("\r", text)
        self.assertNotIn("\x1b", text)


class Bar(Case):
    def watch(self, *arguments, delay=0.0, stdin=b""):
        """stderr on a terminal, stdin held back for a while. @return what stood on the terminal, and stdout."""
        master, slave = pty.openpty()
        with subprocess.Popen([TAGMA, *arguments], cwd=self.dir, env=environment(), stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=slave) as child:
            os.close(slave)
            time.sleep(delay)
            out, _ = child.communicate(stdin, timeout=60)
        text = b""
        while True:
            try:
                more = os.read(master, 65536)
            except OSError:
                break
            if not more:
                break
            text += more
        os.close(master)
        return text.decode(), out.decode()

    def test_work_over_a_second_has_a_bar_that_is_wiped(self):
        text, out = self.watch("pick", "demo.root", "-e", "-", "-f", "jsonl", delay=1.3, stdin=b"1:2272915:227291402\n")
        self.assertRegex(text, r"\w+ \[[#-]{20}\] +\d+ % \d+ of \d+ \w+")
        self.assertTrue(text.rstrip("\r\n").count("\r\x1b[K") >= 1, repr(text))
        self.assertEqual(len(out.splitlines()), 1)

    def test_quiet_has_none(self):
        text, _ = self.watch("pick", "demo.root", "-e", "-", "-q", delay=1.3, stdin=b"1:2272915:227291402\n")
        self.assertEqual(text, "")


if __name__ == "__main__":
    unittest.main()
