# SPDX-License-Identifier: Apache-2.0
"""A conversion that ends before its time: killed, stopped, a full disk, a folder that is not ours. A store is whole or is not there.

TAGMA_HOSTILE=all kills at 50 moments, not at 6; `make hostile` does.
"""
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from support import RELEASE, TAGMA, Case, environment, run  # noqa: E402

MOMENTS = 50 if os.environ.get("TAGMA_HOSTILE") == "all" else 6
COPIES = 40
KILLED = RELEASE  # reports of an instrumented program would not outlive a kill


class Ended(Case):
    def setUp(self):
        super().setUp()
        self.write("list.txt", "demo.root\n" * COPIES)
        self.write("short.txt", "demo.root\n" * 2)
        self.out = self.dir / "out"
        self.out.mkdir()
        self.store = self.out / "s.tagma"

    def command(self, *arguments, program=TAGMA):
        names = "list.txt" if program == KILLED else "short.txt"
        return [program, "convert", "--files", names, "-o", self.store, "-q", *map(str, arguments)]

    def start(self, *arguments, **more):
        return subprocess.Popen(self.command(*arguments, program=KILLED), cwd=self.dir, env=environment(), stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, **more)

    def left(self):
        return sorted(path.name for path in self.out.iterdir())

    def end_at_random(self, number, *arguments):
        """Kill at moments spread over the whole conversion; the store that stood before, or the new one, stands after each."""
        began = time.monotonic()
        with self.start(*arguments) as process:
            process.wait()
        seconds = time.monotonic() - began
        whole = self.store.read_bytes()
        subprocess.run([KILLED, "check", "-q", self.store], stdout=subprocess.DEVNULL, check=True)
        outcomes = []
        moments = random.Random(1)
        for i in range(MOMENTS):
            before = (b"", b"an older file")[i % 2]
            self.store.unlink()
            if before:
                self.store.write_bytes(before)
            with self.start(*arguments) as process:
                time.sleep(moments.uniform(0, seconds * 1.02))
                process.send_signal(number)
                process.wait()
            found = self.store.read_bytes() if self.store.exists() else b""
            self.assertIn(found, (before, whole))
            self.assertEqual(self.left(), ["s.tagma"] if found else [])
            outcomes.append(found == whole)
            self.store.write_bytes(whole)
        return outcomes

    def test_killed(self):
        outcomes = self.end_at_random(signal.SIGKILL, "-j", 2)
        self.assertIn(False, outcomes)

    def test_killed_while_it_sorts(self):
        self.end_at_random(signal.SIGKILL, "-j", 2, "--sort")

    def test_stopped(self):
        self.end_at_random(signal.SIGTERM)

    def test_a_stop_is_told_by_the_exit_code(self):
        with self.start("-j", 1) as process:
            time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            process.wait()
        self.assertIn(process.returncode, (-signal.SIGINT, 0))

    def refused(self, words, *arguments, **more):
        said = run(*self.command(*arguments)[1:], cwd=self.dir, **more)
        self.assertEqual(said.status, 2, said)
        self.assertRegex(said.err, words)

    def test_a_file_that_may_not_grow(self):
        limit = 100_000
        done = subprocess.run(self.command("--tile", "1"), cwd=self.dir, env=environment(), capture_output=True, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr.decode(), r"\Atagma: .*s.tagma cannot be written: File too large\n\Z")
        self.assertEqual(self.left(), [])

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("mount"), "only root can make a small disk")
    def test_a_disk_that_is_full(self):
        small = tempfile.mkdtemp(prefix="tagma-small-")
        self.addCleanup(os.rmdir, small)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", small], check=False).returncode != 0:
            self.skipTest("no disk can be mounted here")
        self.addCleanup(subprocess.run, ["umount", small], check=True)
        self.out, self.store = Path(small), Path(small) / "s.tagma"
        self.store.write_bytes(b"an older file")
        self.refused(r"s.tagma cannot be written: No space left on device")
        self.assertEqual((self.left(), self.store.read_bytes()), (["s.tagma"], b"an older file"))

    def test_a_folder_that_is_not_ours(self):
        os.chmod(self.dir, 0o755)
        self.out.chmod(0o555)
        self.refused(r"s.tagma cannot be written: Permission denied", unprivileged=True)
        self.assertEqual(self.left(), [])
        self.store = self.dir / "none" / "s.tagma"
        self.refused(r"s.tagma cannot be written: No such file or directory")

    def test_places_that_are_no_files(self):
        for place, words in (("/dev/full", "no regular file"), (self.out, "is a folder")):
            self.store = place
            self.refused(words)

    def test_inputs_are_as_they_were(self):
        before = (self.dir / "demo.root").read_bytes()
        self.store = self.dir / "twin"
        os.link(self.dir / "demo.root", self.store)
        self.refused("is an input")
        self.assertEqual((self.dir / "demo.root").read_bytes(), before)


if __name__ == "__main__":
    unittest.main()
