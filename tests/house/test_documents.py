# SPDX-License-Identifier: Apache-2.0
"""Pages that can be wrong without anybody noticing."""
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAN = sorted((ROOT / "docs" / "man").glob("*.1"))


def test_manual_pages_are_sound():
    if not shutil.which("mandoc"):
        pytest.skip("mandoc is not installed")
    said = subprocess.run(["mandoc", "-Tlint", "-W", "warning", *MAN], capture_output=True, text=True, check=False)
    assert (said.returncode, said.stdout) == (0, "")


def test_each_dependency_has_its_decision():
    required = re.search(r"set\(TAGMA_REQUIRES ([^)]*)\)", (ROOT / "cmake" / "deps.cmake").read_text()).group(1).split()
    pages = "\n".join(path.read_text() for path in (ROOT / "docs" / "decisions").glob("*.md"))
    assert [name for name in [*required, "cmocka"] if f"`{name}`" not in pages] == []


def test_bash_completes_commands_and_options():
    def complete(*words):
        script = (f"source {ROOT}/completions/tagma.bash; COMP_WORDS=({' '.join(words)}); "
                  f"COMP_CWORD={len(words) - 1}; _tagma; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, cwd=ROOT / "demo").stdout.split()

    assert "pick" in complete("tagma", "pi")
    assert complete("tagma", "pick", "--mis") == ["--missing"]
    assert complete("tagma", "scan", "-f", "js") == ["jsonl"]
    assert complete("tagma", "ls", "nano") == ["nanoAOD_2015_CMS_Open_Data_ttbar.root"]
