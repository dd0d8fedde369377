# SPDX-License-Identifier: Apache-2.0
"""What the outside sees of the library: symbols and headers."""
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RELEASE = Path(os.environ.get("TAGMA_RELEASE", ROOT / "build" / "release"))


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_every_header_compiles_alone_as_c17_and_as_cpp17():
    said = run(ROOT / "tools" / "check-headers")
    assert (said.returncode, said.stderr) == (0, "")


def test_the_soname_carries_the_major_version_only():
    said = run("readelf", "-d", RELEASE / "libtagma.so")
    assert "Library soname: [libtagma.so.0]" in said.stdout
def test_the_shared_library_exports_what_the_headers_promise_and_nothing_else():
    said = run(ROOT / "tools" / "check-symbols", RELEASE / "libtagma.so", RELEASE / "libtagma.a")
    assert (said.returncode, said.stderr) == (0, "")


