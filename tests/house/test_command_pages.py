# SPDX-License-Identifier: Apache-2.0
"""What --help tells is what the manual pages tell and what the shell completes; and what the README shows works."""
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("TAGMA_BIN", ROOT / "build" / "asan" / "tagma"))
SAMPLE = ROOT / "demo" / "nanoAOD_2015_CMS_Open_Data_ttbar.root"
IDS = ROOT / "demo" / "events.txt"


def text_of(*arguments):
    return subprocess.run([BIN, *arguments], capture_output=True, text=True, check=True).stdout


def commands():
    table = text_of("--help").split("commands:\n")[1].split("\n\n")[0]
    return re.findall(r"^  ([a-z]+) ", table, re.MULTILINE)


def options(command):
    """[("t", "tree"), ("", "files") ...] as --help prints them."""
    return re.findall(r"^  (?:-(.)|  ) --([a-z-]+)", text_of(command, "--help"), re.MULTILINE)


def page(name):
    return (ROOT / "docs" / "man" / f"{name}.1").read_text()


def test_each_command_has_a_page_and_the_main_page_names_it():
    pages = {path.stem for path in (ROOT / "docs" / "man").glob("*.1")}
    assert pages == {"tagma", *(f"tagma-{name}" for name in commands())}
    assert [name for name in commands() if f".It Cm {name}\n" not in page("tagma")] == []


def test_each_option_is_in_the_manual():
    untold = []
    for command in commands():
        text = page("tagma") + page(f"tagma-{command}")
        for letter, name in options(command):
            wanted = [f"Fl -{name}"] + ([f"Fl {letter}"] if letter else [])
            untold += [f"{command}: {word}" for word in wanted if not re.search(rf"^\.It .*{word}\b", text, re.MULTILINE)]
    assert untold == []


def test_the_manual_tells_no_option_that_is_not_there():
    known = {f"-{name}" for command in commands() for _, name in options(command)} | {"-", "-coords", "-first"}
    known |= {letter for command in commands() for letter, _ in options(command) if letter}
    told = set()
    for path in (ROOT / "docs" / "man").glob("*.1"):
        told |= set(re.findall(r"\bFl (-?[a-z-]+)", path.read_text()))
    assert told - known == set()


@pytest.fixture
def shell(tmp_path):
    """A folder with the files that the README names, and `tagma` on the PATH."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "tagma").symlink_to(BIN)
    for name in ("x.root", "y.root", "old.root", "new.root"):
        shutil.copy(SAMPLE, tmp_path / name)
    shutil.copy(IDS, tmp_path / "list.txt")

    def run(line):
        return subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False, cwd=tmp_path,
                              env=os.environ | {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"})
    run.folder = tmp_path
    return run


def test_bash_completes_commands_options_and_values(shell):
    def complete(*words):
        quoted = " ".join(f"'{word}'" for word in words)
        said = shell(f"source {ROOT}/completions/tagma.bash; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; "
                     "_tagma; printf '%s\\n' \"${COMPREPLY[@]}\"")
        assert said.stderr == ""
        return said.stdout.splitlines()

    assert complete("tagma", "pi") == ["pick"]
    assert complete("tagma", "pick", "--mis") == ["--missing"]
    assert complete("tagma", "scan", "-f", "js") == ["jsonl"]
    assert complete("tagma", "ls", "x") == ["x.root"]
    assert complete("tagma", "pick", "-e", "li") == ["list.txt"]
    (shell.folder / "my events.root").touch()
    assert complete("tagma", "ls", "my") == ["my events.root"]


def test_every_command_of_the_readme_runs(shell):
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("tagma ")]
    assert len(lines) >= 8
    for line in lines:
        said = shell(line)
        assert said.returncode in (0, 1), line + "\n" + said.stderr


def test_the_demo_ends_well():
    said = subprocess.run([ROOT / "demo" / "run", BIN], capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stdout + said.stderr
    assert "1:2272919:227291999" in said.stderr
