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


def test_links_between_documents_lead_somewhere():
    broken = []
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("demo/*.md")]:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
            if not target.startswith("http") and not (page.parent / target).exists():
                broken.append(f"{page.relative_to(ROOT)}: {target}")
    assert broken == []
