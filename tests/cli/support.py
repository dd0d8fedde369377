# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command line share: running it, and files to run it on.

TAGMA_BIN is the program (build/release/tagma), TAGMA_SHARED a folder with real files (../shared), which may be absent.
"""
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TAGMA = Path(os.environ.get("TAGMA_BIN", ROOT / "build" / "release" / "tagma")).resolve()
# What users get, for what takes long or measures memory.
RELEASE = Path(os.environ["TAGMA_RELEASE"], "tagma").resolve() if "TAGMA_RELEASE" in os.environ else TAGMA
DATA = ROOT / "tests" / "data" / "cli"
EDGE = ROOT / "tests" / "data" / "edge"
DEMO = ROOT / "demo" / "nanoAOD_2015_CMS_Open_Data_ttbar.root"
COLLECTION = Path(os.environ.get("TAGMA_SHARED", ROOT.parent / "shared")) / "data" / "root"


class Said:
    """What a run left: exit code, stdout and stderr."""

    def __init__(self, status, out, err):
        self.status, self.raw, self.err = status, out, err.decode("utf-8", "surrogateescape")
        self.out = out.decode("utf-8", "surrogateescape")

    def __repr__(self):
        return f"exit {self.status}\nstdout: {self.out[:2000]}\nstderr: {self.err[:2000]}"

    @property
    def lines(self):
        return self.out.splitlines()

    @property
    def objects(self):
        return [json.loads(line) for line in self.out.splitlines()]


def environment(**more):
    env = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": "/nonexistent"}
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
        if name in os.environ:
            env[name] = os.environ[name]
    env.update({name: str(value) for name, value in more.items()})
    return env


def run(*arguments, cwd=None, stdin=b"", env=None, stdout=subprocess.PIPE, unprivileged=False,
        program=TAGMA):
    """unprivileged: as a user who may not write everywhere, even where the tests run as root."""
    if isinstance(stdin, str):
        stdin = stdin.encode("utf-8", "surrogateescape")
    done = subprocess.run([program, *map(os.fsencode, map(str, arguments))], input=stdin, stdout=stdout,
                          stderr=subprocess.PIPE, cwd=cwd, env=env or environment(), check=False, timeout=300,
                          **({"user": 65534, "group": 65534, "extra_groups": []} if unprivileged and os.geteuid() == 0
                             else {}))
    return Said(done.returncode, done.stdout or b"", done.stderr)


class Case(unittest.TestCase):
    """Each test has a folder of its own with events.root, y.root and demo.root in it, and runs there."""

    maxDiff = None

    def setUp(self):
        self.dir = Path(tempfile.mkdtemp(prefix="tagma-test-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        for path in DATA.glob("*.root"):
            shutil.copy(path, self.dir)
        shutil.copy(DEMO, self.dir / "demo.root")

    def tagma(self, *arguments, **more):
        more.setdefault("cwd", self.dir)
        return run(*arguments, **more)

    def says(self, *arguments, status=0, out=None, err=None, **more):
        """Run, and compare word for word what is given."""
        said = self.tagma(*arguments, **more)
        self.assertEqual(said.status, status, said)
        if out is not None:
            self.assertEqual(said.out, out, said)
        if err is not None:
            self.assertEqual(said.err, err, said)
        return said

    def write(self, name, content):
        path = self.dir / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape"))
        return path

    def damage(self, source, name, places):
        """A copy of a file with the bytes at some places turned over."""
        content = bytearray((self.dir / source).read_bytes())
        for place in places:
            content[place] ^= 0xFF
        return self.write(name, bytes(content))


def needs_collection(name):
    """The path of a file of the collection; the test is skipped where it is not there."""
    path = COLLECTION / name
    if not path.exists():
        raise unittest.SkipTest(f"{path} is not there")
    return path
