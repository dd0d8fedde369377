# SPDX-License-Identifier: Apache-2.0
"""What an independent reader (JSROOT) found in each branch: number of values, sum, minimum, maximum, strings; and the Parquet
twin of one file, value for value."""
import csv
import math
import os
import re
from collections import defaultdict
from pathlib import Path

import pytest

np = pytest.importorskip("numpy")

from binding import STRING, Library  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("TAGMA_SHARED", ROOT.parent / "shared")) / "data" / "root"
TABLE = FOLDER / "oracle" / "ORACLE.tsv"
# Where the table itself cannot be held against values: what its README says of it.
UNCLEAR = ("NOT READ", "objects=")
# Where the table is wrong: referenced objects' fBits have 6 bytes, 4 were read.
MISREAD = {("uproot-issue513.root", "fBits")}


def table():
    rows = defaultdict(list)
    if TABLE.exists():
        with TABLE.open(newline="") as lines:
            for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
                rows[row["file"]].append(row)
    return rows


ROWS = table()


def names(branch):
    """The spellings by which a column can be found: a slash is a dot, a name that repeats its parent's stands once."""
    parts = branch.split("/")
    path = parts[0]
    for part in parts[1:]:
        stem = path.rstrip(".")
        own = stem.rsplit(".", 1)[-1]
        for said in (stem + ".", own + "."):
            if part.startswith(said):
                part = part[len(said):]
                break
        path = f"{stem}.{part}"
    return {path, path.rstrip("."), branch, parts[-1]}


def is_written(written, value, slack=0.0):
    """The table has lost the last digit of exponents of two: 3.6e-10 stands there as 3.6e-1."""
    spellings = [written] + [written + digit for digit in "0123456789" if re.search(r"e-\d$", written)]
    return any(math.isclose(float(value), float(spelling), rel_tol=1e-7, abs_tol=slack) for spelling in spellings)


def agrees(row, column):
    """None where the row tells nothing that can be compared."""
    values = column.values
    if column.validity is not None or column.type == STRING:
        text = re.match(r'strings=(\d+) bytes=(\d+)', row["text"] or "")
        if not text or column.type != STRING:
            return None
        return int(text[1]) == len(column.offsets[-1]) - 1
    if row["text"] or not row["sum"] or not row["values"]:
        return None
    if int(row["values"]) != values.size:
        return False
    finite = values[~np.isnan(values)] if values.dtype.kind == "f" else values
    if finite.size == 0:
        return values.size == 0 or int(row["nan_values"] or 0) == values.size
    total = math.fsum(finite.astype("f8").tolist())
    spread = float(np.abs(finite.astype("f8")).sum())
    return (is_written(row["sum"], total, 1e-9 * spread) and is_written(row["min"], finite.min()) and is_written(row["max"], finite.max()))


@pytest.fixture(scope="module")
def library():
    return Library()


@pytest.mark.skipif(not ROWS, reason="no collection of real files at TAGMA_SHARED")
@pytest.mark.parametrize("name", sorted(ROWS) or ["none"])
def test_columns_agree_with_the_table(library, name):
    by_tree = defaultdict(lambda: defaultdict(list))
    entries = {}
    for tree, cycle, n_entries, columns, _ in library.trees(FOLDER / name):
        entries[f"{tree};{cycle}"] = n_entries
        for column in columns:
            for path in {column.path, column.name}:
                by_tree[f"{tree};{cycle}"][path].append(column)
    compared, differ = 0, []
    for row in ROWS[name]:
        tree, branch = row["tree;cycle"], row["branch"]
        if any(word in row["note"] + row["objects"] for word in UNCLEAR) or (name, branch.rpartition(".")[2]) in MISREAD:
            continue
        if int(row["entries_read"] or 0) > entries.get(tree, 0):  # a branch longer than its tree
            continue
        columns = next((by_tree[tree][path] for path in names(branch) if path in by_tree[tree]), [])
        verdicts = [agrees(row, column) for column in columns]  # several where branches share a path
        compared += True in verdicts or False in verdicts
        if False in verdicts and True not in verdicts:
            differ.append(f"{tree} {branch}")
    print(f"{name}: {compared} of {len(ROWS[name])} rows compared")
    assert not differ, f"{len(differ)} differ: {differ[:8]}"


def test_parquet_twin_has_the_same_values(library):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = FOLDER / "oracle" / "nano_dimuon.parquet"
    if not path.exists():
        pytest.skip("no collection of real files at TAGMA_SHARED")
    twin = parquet.read_table(path)
    columns = next(columns for tree, _, _, columns, _ in library.trees(FOLDER / "nano_dimuon.root") if tree == "Events")
    assert len(columns) == 1601
    for column in columns:
        theirs = twin.column(column.name).combine_chunks()
        if column.n_lists:
            assert np.array_equal(np.asarray(theirs.offsets), column.offsets[0]), column.name
            theirs = theirs.values
        theirs = theirs.to_numpy(zero_copy_only=False).astype(column.values.dtype)
        assert theirs.tobytes() == column.values.tobytes(), column.name
