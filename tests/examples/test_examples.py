# SPDX-License-Identifier: Apache-2.0
"""The programs in examples/, and the lines of the README that hand events to uproot."""
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("TAGMA_BIN", ROOT / "build" / "release" / "tagma"))
EXAMPLES = BIN.parent / "examples"
DEMO = next(ROOT.glob("demo/*.root"))


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)


def scan(columns):
    out = run(BIN, "scan", DEMO, "-c", columns, "-f", "jsonl", "-q").stdout
    return [json.loads(line) for line in out.splitlines()]


def test_one_event_prints_the_event_asked_for():
    event = scan("run,luminosityBlock,event,MET_pt,nMuon")[5]
    found = run(EXAMPLES / "one_event", DEMO, event["run"], event["luminosityBlock"], event["event"])
    assert found.returncode == 0, found.stderr
    lines = found.stdout.splitlines()
    assert lines[0] == "entry 5, 1 with this id"
    assert f"event {event['event']}" in lines
    assert f"nMuon {event['nMuon']}" in lines
    assert any(line.startswith("MET_pt ") and abs(float(line.split()[1]) - event["MET_pt"]) < 1e-5 * event["MET_pt"]
               for line in lines)


def test_one_event_says_when_it_is_not_there():
    found = run(EXAMPLES / "one_event", DEMO, 1, 1, 1)
    assert (found.returncode, found.stdout) == (1, "not there\n")


def test_one_event_fails_with_words():
    found = run(EXAMPLES / "one_event", DEMO.parent / "absent.root", 1, 1, 1)
    assert found.returncode == 2
    assert "absent.root" in found.stderr


def test_histogram_counts_what_scan_prints():
    bins = [0] * 20
    for event in scan("MET_pt,nMuon"):
        if event["nMuon"] >= 1 and event["MET_pt"] < 200:
            bins[int(event["MET_pt"]) // 10] += 1
    found = run(EXAMPLES / "histogram", DEMO)
    assert found.returncode == 0, found.stderr
    assert [int(line.split()[-1]) for line in found.stdout.splitlines()] == bins


def test_readme_hands_entries_to_uproot(tmp_path):
    pytest.importorskip("uproot")
    readme = (ROOT / "README.md").read_text()
    block = re.search(r"<!-- run: uproot -->\n```python\n(.*?)```", readme, re.S)[1]
    shutil.copy(DEMO, tmp_path / "x.root")
    events = scan("run,luminosityBlock,event,Muon_pt")
    wanted = [7, 3, 150]
    (tmp_path / "list.txt").write_text("".join(
        f"{events[e]['run']}:{events[e]['luminosityBlock']}:{events[e]['event']}\n" for e in wanted))
    picked = run(BIN, "pick", "x.root", "-e", "list.txt", "-f", "entries", cwd=tmp_path)
    assert picked.returncode == 0, picked.stderr
    (tmp_path / "entries.csv").write_text(picked.stdout)
    script = block + "\nprint([event['Muon_pt'] for event in muons.tolist()])\n"
    shown = run(sys.executable, "-c", script, cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    ours = [[round(pt, 4) for pt in events[e]["Muon_pt"]] for e in wanted]
    assert [[round(pt, 4) for pt in event] for event in json.loads(shown.stdout)] == ours
