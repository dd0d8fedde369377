# SPDX-License-Identifier: Apache-2.0
"""Every branch that Tagma reads equals what uproot reads, value for value and, for floats, bit for bit."""
import os
import resource
from pathlib import Path

import pytest

np = pytest.importorskip("numpy")
ak = pytest.importorskip("awkward")
uproot = pytest.importorskip("uproot")

from binding import STRING, Library  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("TAGMA_SHARED", ROOT.parent / "shared"))
FILES = sorted(ROOT.glob("demo/*.root")) + sorted(SHARED.glob("data/root/*.root"))
MEMORY = 6 << 30  # uproot can take all there is on containers it does not expect


@pytest.fixture(scope="module")
def library():
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, before[1]))
    yield Library()
    resource.setrlimit(resource.RLIMIT_AS, before)


def branches(tree):
    """{path: branches} of every branch at every depth: names joined by dots, a name that repeats its parent's once."""
    found = {}

    def walk(branch, path):
        found.setdefault(path, []).append(branch)
        for below in branch.branches:
            stem, own, name = path.rstrip("."), branch.name.rstrip("."), below.name
            for said in (stem + ".", own + "."):
                if name.startswith(said):
                    name = name[len(said):]
                    break
            walk(below, f"{stem}.{name}")

    for top in tree.branches:
        walk(top, top.name)
    return found


def candidates(by_path, column):
    """uproot's branches for a column: its path, or, of a branch of several leaves, the branch and the leaf."""
    for path in (column.path, column.path + "."):
        if path in by_path:
            return [(branch, None) for branch in by_path[path]]
    path, _, leaf = column.path.rpartition(".")
    return [(branch, leaf) for branch in by_path.get(path, []) if len(branch.member("fLeaves")) > 1]


def same_counts(values, column):
    """Counts of each list level."""
    for level in range(column.n_lists):
        theirs = np.asarray(ak.flatten(ak.num(values, axis=level + 1), axis=None))
        if not np.array_equal(np.diff(column.offsets[level].astype("i8")), theirs):
            return False
    return True


def same_strings(values, column):
    for _ in range(column.n_lists):
        values = ak.flatten(values, axis=1)
    theirs = [text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text for text in ak.to_list(values)]
    ends = column.offsets[-1]
    data = column.values.tobytes()
    return [data[ends[i]:ends[i + 1]] for i in range(len(ends) - 1)] == theirs


def same_numbers(values, column):
    theirs = np.asarray(ak.flatten(values, axis=None))
    ours = column.values
    if is_scaled(column):  # uproot multiplies where ROOT divides: the last bits differ, ROOT's are ours
        return theirs.size == ours.size and np.allclose(theirs, ours, rtol=0, atol=1e-5 if ours.itemsize == 4 else 1e-8)
    return theirs.size == ours.size and theirs.astype(ours.dtype).tobytes() == ours.tobytes()


def is_scaled(column):
    return any(mark in column.title for mark in ("/d[", "/f["))


def same(values, column, n_entries):
    values = values[:n_entries]  # a branch may be longer than its tree
    if values.fields:  # a count, which uproot shows as what it counts
        return all(same(ak.num(values[field], axis=1), column, n_entries) for field in values.fields)
    if column.validity is not None:  # a branch shorter than its tree: its last entries are null, and hold nothing
        n = len(values) * (column.n_items if column.n_lists == 0 else 1)
        if column.offsets:
            column.offsets[0] = column.offsets[0][:n + 1]
        else:
            column.values = column.values[:n]
    if not same_counts(values, column):
        return False
    return same_strings(values, column) if column.type == STRING else same_numbers(values, column)


def compare(library, path):
    """Columns that are equal, that differ, that uproot does not read; and what Tagma refuses, by reason."""
    equal, differ, unread, refused = 0, [], [], {}
    with uproot.open(path) as file:
        trees = list(library.trees(path))
        theirs = [key for key, kind in file.classnames().items() if kind in ("TTree", "TNtuple", "TNtupleD")]
        assert sorted(f"{name};{cycle}" for name, cycle, *_ in trees) == sorted(theirs)
        for name, cycle, n_entries, columns, reasons in trees:
            by_path = branches(file[f"{name};{cycle}"])
            refused.update({f"{name};{cycle}:{column}": reason for column, reason in reasons.items()})
            for column in columns:
                verdicts = []
                for branch, leaf in candidates(by_path, column):
                    try:
                        values = branch.array(library="ak")
                        verdicts.append(same(values[leaf] if leaf else values, column, n_entries))
                    except Exception as fault:  # whatever uproot comes to: it is no verdict
                        verdicts.append(f"{type(fault).__name__}: {fault}".splitlines()[0])
                if True in verdicts:
                    equal += 1
                elif False in verdicts:
                    differ.append(f"{name};{cycle}:{column.path}")
                else:
                    unread.append(f"{name};{cycle}:{column.path}: {verdicts[0] if verdicts else 'no such branch'}")
    return equal, differ, unread, refused


# Where uproot 5 itself is wrong, by file and the end of the branch's name; ROOT's values are Tagma's.
MISREAD = {
    ("uproot-issue513.root", ".fBits"): "every fBits is taken for 4 bytes, a referenced one has 6",
}


def is_misread(path, column):
    return any(path.name == name and column.endswith(end) for name, end in MISREAD)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_columns_equal_uproots(library, path):
    try:
        equal, differ, unread, refused = compare(library, path)
    except ValueError as fault:
        if "unsupported compression algorithm" not in str(fault):
            raise
        pytest.skip(f"uproot does not read {path.name}: {str(fault).splitlines()[0]}")
    differ = [column for column in differ if not is_misread(path, column)]
    print(f"{path.name}: {equal} equal, {len(unread)} that uproot does not read, {len(refused)} refused")
    for line in unread:
        print(f"  uproot: {line}")
    assert not differ, f"{len(differ)} columns differ, {differ[:5]}"
