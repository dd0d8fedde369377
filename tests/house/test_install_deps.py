# SPDX-License-Identifier: Apache-2.0
"""tools/install-deps: silent when all is there; without root rights it prints the command and does nothing."""
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def machine(tmp_path):
    """A PATH on which `id` tells of a plain user, no library is known, and apt-get leaves a trace."""
    def command(name, text):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)

    command("id", "echo 1000")
    command("pkg-config", "exit 1")
    command("apt-get", f'echo "$@" >>{tmp_path}/trace')
    return tmp_path


def install(path, *groups):
    return subprocess.run([ROOT / "tools" / "install-deps", *groups], capture_output=True, text=True, check=False,
                          env=os.environ | {"PATH": f"{path}:{os.environ['PATH']}"})


def test_says_nothing_when_all_is_there():
    said = install("/nowhere", "build")
    assert (said.returncode, said.stdout, said.stderr) == (0, "", "")


def test_a_plain_user_is_given_the_command(machine):
    said = install(machine, "build")
    assert said.returncode == 2
    assert ("sudo apt-get install -y --no-install-recommends libdeflate-dev libjansson-dev liblz4-dev liblzma-dev "
            "libxxhash-dev libzstd-dev\n") in said.stderr
    assert not (machine / "trace").exists()


def test_root_installs_what_is_missing_and_says_so(machine):
    (machine / "id").write_text("#!/bin/sh\necho 0\n")
    said = install(machine, "build")
    assert said.returncode == 0
    assert said.stdout.startswith("Installing Debian packages: libdeflate-dev libjansson-dev")
    assert (machine / "trace").read_text().splitlines()[1].startswith("install -y --no-install-recommends libdeflate-dev")


def test_an_install_that_fails_is_told(machine):
    (machine / "id").write_text("#!/bin/sh\necho 0\n")
    (machine / "apt-get").write_text("#!/bin/sh\necho E: no mirror >&2\nexit 100\n")
    said = install(machine, "build")
    assert said.returncode == 2
    assert "E: no mirror" in said.stderr
    assert "this failed: apt-get install" in said.stderr


def test_elsewhere_than_debian_the_names_are_told(machine):
    (machine / "apt-get").unlink()
    for name in ("sh", "gcc", "g++", "cmake", "ninja", "sort", "tr"):
        (machine / name).symlink_to(shutil.which(name))
    said = subprocess.run([ROOT / "tools" / "install-deps", "build"], capture_output=True, text=True, check=False,
                          env={"PATH": str(machine)})
    assert said.returncode == 2
    assert "by their Debian names: libdeflate-dev" in said.stderr
