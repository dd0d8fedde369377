# SPDX-License-Identifier: Apache-2.0
"""Real samples as stores, beside the same branches written again by ROOT with LZMA-9, and by its importer as RNTuple ZSTD.

store_sizes.py TAGMA FOLDER SCRATCH: each tree under FOLDER with at least 1,000 entries; a line of JSON each. Needs the package ROOT.
The store is made with --columns none; ROOT writes what the store holds and nothing else, in one basket a branch and 30 MB at most.
"""
import json
import pathlib
import subprocess
import sys

import ROOT

LEAST_EVENTS = 1000
LZMA_9, ZSTD_5 = 209, 505


def tagma(tagma_path, *arguments):
    done = subprocess.run([tagma_path, *map(str, arguments)], capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


def write_again(source, tree_name, dropped, target):
    """What the store holds, as ROOT's own LZMA-9 file. @return its bytes, or None where ROOT cannot."""
    file = ROOT.TFile.Open(str(source))
    tree = file.Get(tree_name)
    if not tree or type(tree).__name__ not in ("TTree", "TNtuple", "TNtupleD"):
        return None
    for name in dropped:
        if tree.GetBranch(name):
            tree.SetBranchStatus(name, 0)
    out = ROOT.TFile(str(target), "RECREATE", "", LZMA_9)
    copy = tree.CloneTree(0)
    copy.SetAutoFlush(-30_000_000)
    copy.CopyEntries(tree)
    out.Write()
    out.Close()
    file.Close()
    return target.stat().st_size


def import_ntuple(source, tree_name, target):
    try:
        importer = ROOT.Experimental.RNTupleImporter if hasattr(ROOT.Experimental, "RNTupleImporter") else ROOT.RNTupleImporter
        target.unlink(missing_ok=True)
        job = importer.Create(str(source), tree_name, str(target))
        options = ROOT.RNTupleWriteOptions()
        options.SetCompression(ZSTD_5)
        job.SetWriteOptions(options)
        job.SetIsQuiet(True)
        job.Import()
        return target.stat().st_size
    except Exception:  # noqa: BLE001 - what the importer refuses is told as null
        return None


def measure(tagma_path, path, tree, scratch):
    store = scratch / "sample.tagma"
    name = f"{tree['name']};{tree['cycle']}"
    if tagma(tagma_path, "convert", path, "-t", name, "--skip-unsupported", "--columns", "none", "-o", store) is None:
        return
    held = json.loads(tagma(tagma_path, "info", store, "--json"))
    inside = held["trees"][0]["store"]
    dropped = [absent["name"] for absent in inside["absent"] if absent["kind"] in ("unsupported", "column")]
    lzma = write_again(path, name, dropped, scratch / "sample.root")
    if lzma is None:
        return
    ntuple = import_ntuple(scratch / "sample.root", tree["name"].rsplit("/", 1)[-1], scratch / "sample-ntuple.root")
    print(json.dumps({"file": path.name, "tree": name, "events": tree["entries"], "columns": len(inside["columns"]),
                      "lzma_bytes": lzma, "ntuple_bytes": ntuple, "store_bytes": held["bytes"],
                      "index_bytes": inside["index_bytes"],
                      "without_index": (held["bytes"] - inside["index_bytes"]) / lzma, "with_index": held["bytes"] / lzma}),
          flush=True)


def main():
    tagma_path, folder, scratch = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    ROOT.gErrorIgnoreLevel = ROOT.kFatal
    scratch.mkdir(parents=True, exist_ok=True)
    for path in sorted(folder.rglob("*.root")):
        listed = tagma(tagma_path, "ls", path, "--json")
        for tree in json.loads(listed)["trees"] if listed else []:
            if tree["entries"] >= LEAST_EVENTS and "bad" not in path.parts:
                measure(tagma_path, path, tree, scratch)


main()
