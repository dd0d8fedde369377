# SPDX-License-Identifier: Apache-2.0
"""Where data goes: every write is checked, half a file is never left, a closed pipe ends quietly."""
import os
import signal
import stat
import subprocess
import time
import unittest

from support import TAGMA, Case, environment, run

EVERY = (
    ("--help",), ("pick", "--help"), ("--version",),
    ("ls", "events.root"), ("ls", "-l", "demo.root"), ("ls", "--json", "demo.root"),
    ("info", "demo.root"), ("check", "events.root"), ("check", "--json", "events.root"), ("show", "demo.root", "@1"),
    ("scan", "demo.root"), ("scan", "demo.root", "-f", "jsonl"), ("scan", "demo.root", "-f", "table"),
    ("pick", "demo.root", "@1", "-f", "csv"), ("pick", "demo.root", "@2", "@1", "-f", "jsonl"),
    ("pick", "demo.root", "@2", "@1", "-f", "entries"), ("pick", "demo.root", "@2", "-f", "table"),
)


class Full(Case):
    def test_a_full_disk_under_stdout(self):
        for arguments in EVERY:
            with self.subTest(arguments=arguments), open("/dev/full", "wb") as full:
                said = self.tagma(*arguments, stdout=full)
                self.assertEqual(said.status, 2, said)
                self.assertTrue(said.err.splitlines()[-1].startswith("tagma: stdout: cannot be written"), said)

    def test_a_full_disk_under_o(self):
        self.says("scan", "demo.root", "-o", "/dev/full", status=2,
                  err="tagma: /dev/full: cannot be written: No space left on device\n")

    def test_a_full_disk_under_the_lists(self):
        for option in ("--missing", "--report"):
            said = self.says("pick", "events.root", "@1", "7:7:7", option, "/dev/full", "-f", "ids", status=2)
            self.assertIn("tagma: /dev/full: cannot be written: No space left on device\n", said.err)

    def test_closed_stdout(self):
        done = subprocess.run(["sh", "-c", f"exec '{TAGMA}' ls events.root >&-"], cwd=self.dir, env=environment(),
                              stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 2)


    def test_closed_streams_give_their_place_to_no_file(self):
        """Words meant for a closed stderr stood in OUT, the first file to be opened; a closed stdin was the data file."""
        def closed(how, *arguments):
            return subprocess.run(["sh", "-c", f'exec "$0" "$@" {how}', TAGMA, *arguments], cwd=self.dir,
                                  env=environment(), stderr=subprocess.PIPE, check=False)

        expected = self.says("pick", "events.root", "@1", "7:7:7", "-f", "csv", status=1).raw
        for how in ("2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
            with self.subTest(how=how):
                done = closed(how, "pick", "events.root", "@1", "7:7:7", "-o", "out.csv")
                self.assertEqual(done.returncode, 1)
                self.assertEqual((self.dir / "out.csv").read_bytes(), expected)
                closed(how, "ls", "absent.root", "events.root", "-o", "out.txt")
                self.assertTrue((self.dir / "out.txt").read_text().startswith("events.root:\n"))
        self.assertIn(b"tagma: stdin: Bad file descriptor\n", closed("<&-", "pick", "events.root", "-e", "-").stderr)


class Pipe(Case):
    def test_a_closed_pipe_ends_quietly(self):
        for arguments in (("scan", "demo.root", "-f", "jsonl"), ("ls", "-l", "demo.root"), ("show", "demo.root", "@1"),
                          ("pick", "demo.root", *[f"@{i}" for i in range(199, 0, -1)], "-f", "jsonl"), ("--help",)):
            with self.subTest(arguments=arguments):
                read, write = os.pipe()
                os.close(read)
                said = self.tagma(*arguments, *(["-q"] if arguments[0] != "--help" else []), stdout=write)
                os.close(write)
                self.assertEqual((said.status, said.err), (0, ""))

    def test_head(self):
        done = subprocess.run(["bash", "-c", f"set -o pipefail; '{TAGMA}' scan demo.root -q | head -1"], cwd=self.dir,
                              env=environment(), capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertTrue(done.stdout.startswith(b"run,luminosityBlock,event,"))


class Aside(Case):
    def test_the_suffix_tells_the_kind(self):
        for suffix, form in ((".csv", "csv"), (".jsonl", "jsonl"), (".ndjson", "jsonl"), (".txt", "table"), (".ids", "ids"),
                             (".entries", "entries")):
            with self.subTest(suffix=suffix):
                self.says("pick", "events.root", "@3", "@4", "-o", "out" + suffix, out="")
                self.assertEqual((self.dir / ("out" + suffix)).read_text(),
                                 self.says("pick", "events.root", "@3", "@4", "-f", form).out)

    def test_an_unknown_suffix(self):
        self.says("pick", "events.root", "@3", "-o", "out.parquet", status=2, out="",
                  err="tagma: -o out.parquet: its suffix tells no format (.csv .jsonl .txt .ids .entries do); say it with "
                      "-f\n")
        self.says("pick", "events.root", "@3", "-o", "out.parquet", "-f", "csv")
        self.assertTrue((self.dir / "out.parquet").exists())

    def test_root_output(self):
        for command in (("pick", "events.root", "@3"), ("scan", "events.root")):
            self.says(*command, "-o", "x.root", status=2, out="",
                      err="tagma: ROOT output is not in this version. -f entries gives the entry numbers; -f jsonl the "
                          "values; convert writes stores, OUT.tagma\n")
        self.assertFalse((self.dir / "x.root").exists())

    def test_an_input_is_never_written_over(self):
        before = (self.dir / "events.root").read_bytes()
        os.link(self.dir / "events.root", self.dir / "link.csv")
        os.symlink("events.root", self.dir / "soft.csv")
        self.write("list.txt", "@3\n")
        for name in ("link.csv", "soft.csv"):
            self.says("pick", "events.root", "@3", "-o", name, status=2, out="",
                      err=f"tagma: {name} is an input (events.root); write somewhere else\n")
        self.says("pick", "events.root", "-e", "list.txt", "-o", "list.txt", status=2, out="",
                  err="tagma: list.txt is an input; write somewhere else\n")
        self.says("index", "demo.root", "-q")
        sidecar = (self.dir / "demo.root.tgx").read_bytes()
        for option in ("-o", "--missing", "--report"):
            self.says("pick", "demo.root", "1:2:3", "-f", "ids", option, "demo.root.tgx", status=2, out="",
                      err="tagma: demo.root.tgx is the sidecar of an input (demo.root); write somewhere else\n")
        self.assertEqual((self.dir / "demo.root.tgx").read_bytes(), sidecar)
        self.says("index", "demo.root", "-q", "-o", "demo.root.tgx")
        self.says("index", "demo.root", "-q", "-o", "y.root", status=2)
        self.says("pick", "events.root", "@3", "--report", "events.root", status=2, out="")
        self.says("pick", "events.root", "@3", "--missing", "events.root", status=2, out="")
        self.assertEqual((self.dir / "events.root").read_bytes(), before)

    def test_a_file_called_dash_is_not_made(self):
        for option in ("-o", "--missing", "--report"):
            self.says("pick", "events.root", "@3", "-f", "csv", option, "-", status=2, out="",
                      err="tagma: - is no file to write; /dev/stdout is\n")

    def test_a_failure_leaves_what_was_there(self):
        self.write("out.csv", "old")
        self.says("pick", "events.root", "1:2:3:4", "-o", "out.csv", status=2)
        self.says("pick", "events.root", "@1", "-c", "nothing", "-o", "out.csv", status=2)
        self.says("pick", "absent.root", "@1", "-o", "out.csv", status=2)
        self.assertEqual((self.dir / "out.csv").read_text(), "old")
        self.assertEqual(sorted(path.name for path in self.dir.glob("out*")), ["out.csv"])

    def test_missing_ids_still_deliver(self):
        self.says("pick", "events.root", "@1", "7:7:7", "-o", "out.ids", status=1)
        self.assertEqual((self.dir / "out.ids").read_text(), "273158:1:101\n")

    def test_a_folder_that_cannot_be_written(self):
        said = self.says("pick", "events.root", "@1", "-o", "absent/out.csv", status=2, out="")
        self.assertIn("tagma: absent/out.csv: cannot be written: No such file or directory\n", said.err)

    def test_a_folder_without_rights(self):
        self.dir.chmod(0o755)
        (self.dir / "shut").mkdir(mode=0o555)
        said = self.says("pick", "events.root", "@1", "-o", "shut/out.csv", status=2, out="", unprivileged=True)
        self.assertIn("Permission denied", said.err)

    def test_the_mode_of_a_new_file_follows_umask_and_an_old_one_keeps_its_own(self):
        self.says("pick", "events.root", "@1", "-o", "new.csv")
        self.assertEqual(stat.S_IMODE((self.dir / "new.csv").stat().st_mode), 0o666 & ~self.umask())
        self.write("old.csv", "").chmod(0o640)
        self.says("pick", "events.root", "@1", "-o", "old.csv")
        self.assertEqual(stat.S_IMODE((self.dir / "old.csv").stat().st_mode), 0o640)

    @staticmethod
    def umask():
        mask = os.umask(0)
        os.umask(mask)
        return mask

    def test_through_a_symbolic_link(self):
        self.write("real.csv", "old")
        os.symlink("real.csv", self.dir / "soft.csv")
        self.says("pick", "events.root", "@1", "-f", "ids", "-o", "soft.csv")
        self.assertTrue((self.dir / "soft.csv").is_symlink())
        self.assertEqual((self.dir / "real.csv").read_text(), "273158:1:101\n")

    def test_a_signal_puts_the_half_file_away(self):
        """The list comes from a pipe that stays open: the output is begun, and cannot end."""
        with subprocess.Popen([TAGMA, "pick", "events.root", "-e", "-", "-o", "out.csv"], cwd=self.dir,
                              env=environment(), stdin=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            child.stderr.readline()
            self.assertEqual(len(list(self.dir.glob("out.csv*"))), 1)
            child.send_signal(signal.SIGTERM)
            child.wait(timeout=60)
        self.assertEqual(child.returncode, -signal.SIGTERM)
        self.assertEqual(list(self.dir.glob("out.csv*")), [])


class Changed(Case):
    """A file that changes while it is read."""

    WORDS = "tagma: demo.root changed while it was read; results discarded\n"

    def later(self):
        now = time.time() + 100
        os.utime(self.dir / "demo.root", (now, now))

    def test_no_output_is_kept(self):
        with subprocess.Popen([TAGMA, "pick", "demo.root", "-e", "-", "-o", "out.csv"], cwd=self.dir,
                              env=environment(), stdin=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            first = child.stderr.readline()
            self.later()
            _, err = child.communicate(b"@1\n", timeout=60)
        self.assertEqual((first + err).decode().splitlines(True)[-1], self.WORDS)
        self.assertEqual(child.returncode, 2)
        self.assertEqual(list(self.dir.glob("out.csv*")), [])

    def test_on_stdout_it_is_exit_2(self):
        with subprocess.Popen([TAGMA, "scan", "demo.root", "-f", "jsonl"], cwd=self.dir, env=environment(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            child.stdout.read(1)
            self.later()
            _, err = child.communicate(timeout=60)
        self.assertEqual((child.returncode, err.decode()), (2, self.WORDS))

    def test_a_mapped_file_that_shrinks_is_an_error_and_no_signal(self):
        with subprocess.Popen([TAGMA, "scan", "demo.root", "-f", "jsonl", "--io", "mmap"], cwd=self.dir,
                              env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            child.stdout.read(1)
            os.truncate(self.dir / "demo.root", 5000)
            _, err = child.communicate(timeout=60)
        self.assertEqual((child.returncode, err.decode()), (2, self.WORDS))


class Same(Case):
    def test_output_does_not_depend_on_the_locale_or_threads(self):
        for arguments in (("ls", "-l", "demo.root"), ("info", "demo.root"), ("scan", "demo.root"),
                          ("scan", "demo.root", "-f", "jsonl"), ("check", "demo.root"), ("show", "demo.root", "@7")):
            with self.subTest(arguments=arguments):
                one = self.says(*arguments, "-j", "1")
                for jobs in ("2", "4"):
                    self.assertEqual(self.says(*arguments, "-j", jobs).raw, one.raw)
                for locale in ("C", "de_DE.UTF-8", "tr_TR"):
                    self.assertEqual(run(*arguments, cwd=self.dir, env=environment(LC_ALL=locale)).raw, one.raw)

    def test_quiet_leaves_errors(self):
        self.says("pick", "events.root", "@1", "-f", "ids", "-q", err="")
        self.says("pick", "events.root", "77:7:7", "-f", "ids", "-q", status=1,
                  err="tagma: missing: 77:7:7\ntagma: found 0 of 1. It is in a run this tree does not have (list: 77, "
                      "file: 273158-275158).\n")

    def test_stats_are_told_on_stderr(self):
        for command in (("check", "events.root"), ("pick", "events.root", "@1"), ("scan", "events.root"),
                        ("show", "events.root", "@1")):
            said = self.says(*command, "--stats", "-q")
            self.assertRegex(said.err, r"\Astats: requests \d+, bytes read \d+, used \d+\n"
                                       r"stats: baskets unpacked \d+, distinct \d+, bytes unpacked \d+\n"
                                       r"stats: peak memory \d+ kB, of it in the library \d+ kB; threads \d+\n"
                                       r"stats: seconds open [\d.]+, index [\d.]+, read [\d.]+, write [\d.]+, all [\d.]+\n\Z")


if __name__ == "__main__":
    unittest.main()
