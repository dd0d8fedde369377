# SPDX-License-Identifier: Apache-2.0
"""docs/FORMAT.md tells how to read a store: a reader written from it alone finds, bit for bit, what the library finds, in golden
stores and in new ones of every layout."""
import os
import struct
import subprocess
from pathlib import Path

import pytest

np = pytest.importorskip("numpy")

import storeformat as sf  # noqa: E402
from binding import DTYPES, STRING, Library  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
TAGMA = Path(os.environ.get("TAGMA_RELEASE", ROOT / "build" / "release")) / "tagma"
FOLDER = Path(os.environ.get("TAGMA_SHARED", ROOT.parent / "shared")) / "data" / "root"
GOLDEN = sorted((ROOT / "tests" / "store" / "golden").glob("*.tagma"))
EDGE = ROOT / "tests" / "data" / "edge" / "edge-zstd.root"
REAL = ["nano_tree.root", "string-example.root", "uproot-stl_containers.root", "uproot-small-evnt-tree-fullsplit.root",
        "uproot-vectorVectorDouble.root"]
OPTIONS = ["", "--no-sparse", "--tile 1", "--tile 64 --columns all", "--tile 65536", "--columns none", "--layout collection",
           "--layout collection --blocks 8K --codec lz4", "--blocks 64K --codec zstd"]


def library_values(column, n_events):
    """The same shape as Store.column() gives, from offsets and values."""
    kind = np.dtype(DTYPES[column.type])
    flat = np.frombuffer(column.values.tobytes(), f"u{kind.itemsize}").tolist()
    if column.type != STRING and (column.n_items > 1 or column.has_dims):
        flat = [flat[at:at + column.n_items] for at in range(0, len(flat), column.n_items)]
    for level in range(len(column.offsets), 0, -1):
        offsets = column.offsets[level - 1].tolist()
        flat = [flat[a:z] for a, z in zip(offsets, offsets[1:])]
        if column.type == STRING and level == len(column.offsets) and column.has_dims:
            flat = [flat[at:at + column.n_items] for at in range(0, len(flat), column.n_items)]
    if column.validity is not None:
        flat = [v if column.validity[e // 8] >> e % 8 & 1 else None for e, v in enumerate(flat)]
    assert len(flat) == n_events
    return flat


def compare(path):
    store = sf.Store(path.read_bytes())
    (name, cycle, n_events, columns, refused), = Library().trees(path)
    assert (store.tree, store.cycle, store.n_events, refused) == (name, cycle, n_events, {})
    assert [c.name for c in store.columns] == [c.name for c in columns]
    for i, column in enumerate(columns):
        told = store.columns[i]
        assert (told.type, told.n_items, told.n_lists, told.title, bool(told.dims)) == \
            (column.type, column.n_items, column.n_lists, column.title, column.has_dims)
        assert store.column(i) == library_values(column, n_events), column.name
    check_chunks(store)
    check_index(store)
    assert sorted(sf.origins(store)) == list(range(n_events))
    assert sum(s["entries"] for s in sf.provenance(store)["sources"]) in (n_events, 0)
    return store


def check_chunks(store):
    """A chunk has what the tiles have."""
    for number, cluster in enumerate(store.clusters):
        for which, values, validity in sf.chunks(store, number):
            if values is None:
                continue
            if which >> 31:
                offsets = [tile.offsets[which & 0x7FFFFFFF] for tile in cluster.tiles]
                found = [z - a for one in offsets for a, z in zip(one, one[1:])]
                assert found == values + [0] * (len(found) - len(values))  # events that are not there
                continue
            column = store.columns[which]
            f = store.fields.index(which)
            if cluster.codes[f].kind in (sf.COUNT, sf.TEXT):
                continue
            found = []
            for tile in cluster.tiles:
                places = tile.n_events if column.lists == sf.NONE else tile.n_items[column.lists]
                found += tile.words(f, column.type, places * column.n_words)
            assert found == values, column.name
            if which in cluster.nullable:
                assert validity is not None


def check_index(store):
    if sf.INDEX not in store.sections:
        return
    names, ids = sf.index(store.sections[sf.INDEX])
    axes = []
    for name in names:
        i = next(i for i, c in enumerate(store.columns) if c.name == name)
        axes.append([signed(v, store.columns[i].type) % 2**64 for v in store.column(i)])
    assert sorted(ids, key=lambda one: one[1]) == [(key, e) for e, key in enumerate(zip(*axes))]


def signed(bits, type_):
    kind = np.dtype(DTYPES[type_])
    if kind.kind == "f":
        return int(struct.unpack("<d" if kind.itemsize == 8 else "<f", bits.to_bytes(kind.itemsize, "little"))[0])
    return bits - (1 << 8 * kind.itemsize) if kind.kind == "i" and bits >> 8 * kind.itemsize - 1 else bits


@pytest.mark.parametrize("path", GOLDEN, ids=lambda p: p.stem)
def test_golden(path):
    compare(path)


def convert(source, to, options):
    run = subprocess.run([TAGMA, "convert", "-q", source, "-o", to, "--skip-unsupported", *options.split()], capture_output=True,
                         text=True, check=False)
    assert run.returncode == 0, run.stderr
    return compare(to)


@pytest.mark.parametrize("options", OPTIONS)
def test_every_kind_of_branch(tmp_path, options):
    convert(EDGE, tmp_path / "edge.tagma", options)


EVENTS = ROOT / "tests" / "data" / "cli" / "events.root"


def test_the_fixed_layout(tmp_path):
    store = convert(EVENTS, tmp_path / "x.tagma", "--layout fixed -t Events --drop event,big,huge")
    assert store.layout == sf.FIXED


def test_sorted_events_tell_where_they_come_from(tmp_path):
    store = convert(EVENTS, tmp_path / "x.tagma", "--sort -t Events")
    assert sf.origins(store) != list(range(store.n_events))


def test_strings_that_repeat(tmp_path):
    path = FOLDER / "uproot-issue243-new.root"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    store = convert(path, tmp_path / "texts.tagma", "--tile 64 --columns all -t triggerList")
    assert store.minor == 1 and any(code.kind == sf.TEXT for code in store.clusters[0].codes)


@pytest.mark.parametrize("name", REAL)
def test_real_files(tmp_path, name):
    if not (FOLDER / name).exists():
        pytest.skip(f"{FOLDER / name} is not there")
    convert(FOLDER / name, tmp_path / "real.tagma", "--tile 8")
