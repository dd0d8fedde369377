# SPDX-License-Identifier: Apache-2.0
"""tools/check-layers: the house keeps its rules, and each rule notices what breaks it."""
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SPDX = "/* SPDX-License-Identifier: Apache-2.0 */\n"


def check(root):
    return subprocess.run([sys.executable, ROOT / "tools" / "check-layers", root], capture_output=True, text=True,
                          check=False)


def test_the_house_keeps_its_rules():
    said = check(ROOT)
    assert (said.returncode, said.stderr) == (0, "")


BROKEN = {
    "an arrow against the direction": ("src/base/a.c", '#include "root/b.h"\n', "base may not include from root"),
    "a room that nobody declared": ("src/attic/a.c", "", "no room that check-layers knows"),
    "a header without its room": ("src/root/a.c", '#include "b.h"\n', 'not spelled "room/file.h"'),
    "a guest that looks inside": ("cli/a.c", '#include "root/b.h"\n', "cli/ sees <tagma/...>"),
    "a codec library outside of its room": ("src/root/a.c", "#include <zstd.h>\n", "<zstd.h> belongs to codec"),
    "a public header that looks inside": ("include/tagma/a.h", '#include "root/b.h"\n', "public headers include <...>"),
    "a file too long": ("src/base/a.c", "\n" * 800, "look for the second job"),
    "a function too long": ("src/base/a.c", "void f(void)\n{\n" + "    g();\n" * 99 + "}\n", "function of 101 lines"),
    "two files of one name": ("tests/root/b.h", "", "same basename as src/root/b.h"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_notices(what, tmp_path):
    name, text, words = BROKEN[what]
    for path, content in (("src/root/b.h", ""), (name, text)):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(SPDX + content)
    said = check(tmp_path)
    assert said.returncode == 1
    assert words in said.stderr


def test_a_long_function_with_a_written_reason_passes(tmp_path):
    (tmp_path / "src/base").mkdir(parents=True)
    (tmp_path / "src/base/a.c").write_text(
        SPDX + "/* Long because it is one table. */\nvoid f(void)\n{\n" + "    g();\n" * 120 + "}\n")
    assert check(tmp_path).returncode == 0


def test_a_file_without_its_spdx_line_is_named(tmp_path):
    (tmp_path / "src/base").mkdir(parents=True)
    (tmp_path / "src/base/a.c").write_text("int x;\n")
    assert "src/base/a.c:1: does not open with its SPDX line" in check(tmp_path).stderr
