# SPDX-License-Identifier: Apache-2.0
"""make dist: one file, which runs where nothing else is."""
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RELEASE = Path(os.environ.get("TAGMA_RELEASE", ROOT / "build" / "release"))
SAMPLE = ROOT / "demo" / "nanoAOD_2015_CMS_Open_Data_ttbar.root"


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    """A root with tagma and x.root in it, and how to run there."""
    said = subprocess.run([ROOT / "tools" / "make-dist", RELEASE], capture_output=True, text=True, check=False, cwd=ROOT)
    assert said.returncode == 0, said.stderr
    root = tmp_path_factory.mktemp("empty")
    shutil.copy(ROOT / said.stdout.strip(), root / "tagma")
    shutil.copy(SAMPLE, root / "x.root")
    chroot = shutil.which("chroot") or "/usr/sbin/chroot"
    enter = [chroot, root] if os.getuid() == 0 else ["/usr/bin/unshare", "-r", chroot, root]
    if subprocess.run([*enter, "/tagma", "--version"], capture_output=True, check=False).returncode in (1, 125, 126):
        pytest.skip("no right to change the root here")
    return lambda *arguments: subprocess.run([*enter, "/tagma", *arguments], capture_output=True, text=True, check=False,
                                             env={})


def test_it_is_one_static_file_and_no_pie():
    said = subprocess.run(["readelf", "-dhl", RELEASE / "tagma"], capture_output=True, text=True, check=True).stdout
    assert "NEEDED" not in said
    assert "INTERP" not in said
    assert "EXEC (Executable file)" in said


def test_ls_in_an_empty_root(empty):
    said = empty("ls", "/x.root")
    assert (said.returncode, said.stderr) == (0, "")
    assert "Events" in said.stdout


def test_pick_in_an_empty_root(empty):
    said = empty("pick", "/x.root", "1:2272916:227291545", "-c", "nMuon", "-f", "jsonl")
    assert said.returncode == 0, said.stderr
    assert '"nMuon":2' in said.stdout.replace(" ", "")


def test_show_in_an_empty_root(empty):
    said = empty("show", "/x.root", "@57", "-c", "event,nMuon")
    assert said.returncode == 0, said.stderr
    assert "227291545" in said.stdout
