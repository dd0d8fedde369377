# SPDX-License-Identifier: Apache-2.0
"""The README's lines for RDataFrame, run as they stand there: they need real ROOT, which the tests do without."""
import pathlib
import re
import shutil
import tempfile

from driver import rootenv

DEMO = rootenv.REPO / "demo" / "nanoAOD_2015_CMS_Open_Data_ttbar.root"
WANTED = [7, 3, 150]
SHOW = "\nprint([int(event) for event in df.AsNumpy(['event'])['event']])\n"


def run_rdataframe():
    """Fails with words unless RDataFrame sees the wanted events, each once, in the order of the file."""
    block = re.search(r"<!-- run: rdataframe -->\n```python\n(.*?)```", (rootenv.REPO / "README.md").read_text(), re.S)[1]
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        shutil.copy(DEMO, home / "x.root")
        entries = rootenv.run([rootenv.tagma(), "pick", "x.root", *(f"@{entry}" for entry in WANTED), "-f", "entries"], cwd=home)
        (home / "entries.csv").write_text(entries)
        events = rootenv.run([rootenv.tagma(), "scan", "x.root", "-c", "run,luminosityBlock,event", "-f", "csv"], cwd=home).split()[1:]
        shown = rootenv.run([rootenv.python(), "-c", block + SHOW], cwd=home).split("\n")[-2]
    expected = str([int(events[entry].split(",")[-1]) for entry in sorted(WANTED)])
    if shown != expected:
        raise rootenv.BenchError(f"README, RDataFrame: {shown}, expected {expected}")
    print(f"README, RDataFrame: events {shown}, as wanted")
