# SPDX-License-Identifier: Apache-2.0
"""A second reader of sidecars, written from docs/FORMAT.md alone, over the golden one: what it finds is what is in there."""
import struct
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden" / "sidecar_v1.tgx"
MASK = (1 << 64) - 1


def golden_id(tree, entry):
    """The same arithmetic as tests/support/goldenids.c."""
    ends = [0, 1, MASK, 1 << 63, (1 << 63) - 1, 1 << 53]
    if tree == 0:
        i = entry - 9 if entry % 10 == 9 else entry
        return ([273158, 273302, MASK - 4][i * 7 % 3], 1 + i * 37 % 41 * (i % 2 + 1), i * 2654435761 % (1 << 33))
    if tree == 1:
        return (ends[entry % 6], (ends[entry // 6 % 6] + entry // 36) & MASK)
    return (1000 + entry,)


def packed(data, at, width, i):
    if width == 0:
        return 0
    first = i * width
    whole = int.from_bytes(data[at + first // 8:at + (first + width + 7) // 8], "little")
    return whole >> (first % 8) & ((1 << width) - 1)


def read_sidecar(data):
    magic, version, zero, size, _, file_bytes, uuid, n, table_bytes = struct.unpack_from("<8sIIQQQ16sII", data)
    assert (magic, version, zero, size) == (b"TAGMATGX", 1, 0, len(data))
    at, sections = 64, []
    for _ in range(n):
        row, kind, offset, length, _, entries, record, cycle, tree_bytes, names_bytes, axes = struct.unpack_from(
            "<IIQQQQQIIII", data, at)
        tree = data[at + 64:at + 64 + tree_bytes - 1].decode()
        names = data[at + 64 + tree_bytes:at + 64 + tree_bytes + names_bytes].split(b"\0")[:axes]
        sections.append((kind, tree, cycle, entries, record, names, data[offset:offset + length]))
        at += row
    assert at == 64 + table_bytes
    return file_bytes, uuid, sections


def aligned(n):
    return (n + 63) // 64 * 64


class Level:
    def __init__(self, data, descriptor):
        (self.n_nodes, self.n_keys, self.n_buckets, self.base, self.max, self.stride, self.correction, self.shift,
         flags, self.low, self.base_bits, self.first_bits, self.shift_bits, self.delta, self.directory_bits,
         self.step) = struct.unpack_from("<8Q8B", data, descriptor)
        self.data = data
        self.signed, self.dense, self.ranked = bool(flags & 1), bool(flags & 2), bool(flags & 4)
        self.node_bits = self.base_bits + self.first_bits + self.shift_bits

    def place(self, at):
        n_bits = self.n_keys + self.n_buckets
        present = 0 if self.dense else 1
        self.nodes = at
        self.bits = aligned(self.nodes + ((self.n_nodes + 1) * self.node_bits + 7) // 8)
        self.directory = aligned(self.bits + present * 8 * (n_bits // 64 + 1))
        self.blocks = aligned(self.directory + present * ((((self.n_buckets >> self.step) + 1) * self.directory_bits + 7) // 8))
        self.slots = aligned(self.blocks + present * 8 * (n_bits // 4096 + 1))
        return aligned(self.slots + (self.n_keys * (self.low + self.delta) + 7) // 8)

    def node(self, c):
        record = packed(self.data, self.nodes, self.node_bits, c)
        base = record & ((1 << self.base_bits) - 1)
        first = record >> self.base_bits & ((1 << self.first_bits) - 1)
        return ((self.base + base) & MASK, (c * self.stride + first - self.correction) & MASK,
                self.shift + (record >> (self.base_bits + self.first_bits)))

    def keys(self):
        """(node, ordered value) of every rank, from the bit string."""
        found, bucket, c = [], 0, 0
        for b in range(self.n_keys + self.n_buckets):
            if self.dense:
                if len(found) == self.n_keys:
                    break
                bucket = len(found)
            elif not self.data[self.bits + b // 8] >> (b % 8) & 1:
                bucket += 1
                continue
            while bucket >= self.node(c + 1)[1]:
                c += 1
            base, first, _ = self.node(c)
            low = packed(self.data, self.slots, self.low + self.delta, len(found)) & ((1 << self.low) - 1)
            found.append((c, (base + ((bucket - first) << self.low) + low) & MASK))
        assert len(found) == self.n_keys
        return found

    def start(self, bucket):
        """By the directory and the bit string, as a look-up goes."""
        if self.dense:
            return bucket
        entry = bucket >> self.step
        at = packed(self.data, self.directory, self.directory_bits, entry) + (entry << self.step)
        for _ in range(bucket - (entry << self.step)):
            while self.data[self.bits + at // 8] >> (at % 8) & 1:
                at += 1
            at += 1
        return at - bucket

    def find(self, c, value):
        base, first, _ = self.node(c)
        digit = (value - base) >> self.low
        if value < base or digit >= self.node(c + 1)[1] - first:
            return []
        ranks = range(self.start(first + digit), self.start(first + digit + 1))
        low = (value - base) & ((1 << self.low) - 1)
        return [r for r in ranks
                if packed(self.data, self.slots, self.low + self.delta, r) & ((1 << self.low) - 1) == low]

    def entry(self, c, rank):
        delta = packed(self.data, self.slots, self.low + self.delta, rank) >> self.low
        return (self.node(c)[2] + delta + (rank if self.ranked else 0)) & MASK


def read_index(data):
    magic, version, zero, size, _, n_entries, n_ids, n_repeated, n_axes, names_bytes = struct.unpack_from(
        "<8sIIQQQQQII", data)
    assert (magic, version, zero, size) == (b"TAGMAIDX", 1, 0, len(data))
    levels = [Level(data, 64 + 80 * a) for a in range(n_axes)]
    at = aligned(64 + 80 * n_axes + names_bytes)
    for level in levels:
        at = level.place(at)
    assert at + 64 == len(data)
    return n_entries, n_ids, n_repeated, levels


def ids_by_rank(levels):
    prefixes = [()]
    for level in levels:
        prefixes = [prefixes[c] + (value ^ (1 << 63 if level.signed else 0),) for c, value in level.keys()]
    return prefixes


def entries_of(levels, axes):
    c = 0
    for level, value in zip(levels, axes):
        ranks = level.find(c, value ^ (1 << 63 if level.signed else 0))
        if not ranks:
            return []
        node, c = c, ranks[0]
    return [levels[-1].entry(node, rank) for rank in ranks]


def test_golden_sidecar_reads_by_the_document_alone():
    file_bytes, uuid, sections = read_sidecar(GOLDEN.read_bytes())
    assert (file_bytes, uuid[:8].hex()) == (123456789, "0123456789abcdef")
    assert [(s[0], s[1], s[2], s[4]) for s in sections] == [
        (kind, tree, 1 + i, 1000 + i) for i, tree in enumerate(["dir/Events", "wide", "counted"]) for kind in (1, 2)]
    for number, section in enumerate(sections):
        kind, tree, _, entries, _, _, data = section
        assert entries == 300
        if kind == 2:
            assert data == tree.encode()
            continue
        check_index(number // 2, section[5], data)


def check_index(tree, names, data):
    n_entries, n_ids, n_repeated, levels = read_index(data)
    assert names == [[b"run", b"luminosityBlock", b"event"], [b"a", b"b"], [b"id"]][tree]
    wanted = {}
    for entry in range(n_entries):
        wanted.setdefault(golden_id(tree, entry), []).append(entry)
    assert n_ids == len(wanted) and n_repeated == sum(len(v) > 1 for v in wanted.values())
    by_rank = ids_by_rank(levels)
    flips = [1 << 63 if level.signed else 0 for level in levels]
    assert by_rank == sorted(by_rank, key=lambda axes: [v ^ f for v, f in zip(axes, flips)])
    for axes, entries in wanted.items():
        assert entries_of(levels, axes) == entries
        for a in range(len(axes)):
            near = axes[:a] + ((axes[a] + 1) & MASK,) + axes[a + 1:]
            assert entries_of(levels, near) == wanted.get(near, [])
