# SPDX-License-Identifier: Apache-2.0
"""A reader of Tagma stores written from docs/FORMAT.md alone, slow and plain: every byte that the document names is looked at, every
checksum is verified, and nothing of the library is used. Values are the bits of each word, as integers."""
import struct
from dataclasses import dataclass, field

import cramjam
from xxhash import xxh3_64_intdigest as xxh3

NONE = 0xFFFFFFFF
BOOL, U8, U32, F32, F64, STRING = 0, 2, 6, 9, 10, 11
TYPE_BYTES = [1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 1]  # of a word; a string's words are its bytes
SCHEMA, CLUSTERS, TOTALS, CHUNKS, INDEX, ORIGIN, PROVENANCE, RECORDS, SLOTS, CHECKSUMS, TEXTS = range(1, 12)
CONSTANT, OFFSET, SIGNED, PREFIX, DICTIONARY, PLAIN, COUNT, DECIMAL, ALIAS, TEXT = range(10)
FIXED, COLLECTION = 1, 2
FIXED_NULL = 0x7FF8746167616D00


def u16(b, at):
    return int.from_bytes(b[at:at + 2], "little")


def u32(b, at):
    return int.from_bytes(b[at:at + 4], "little")


def u64(b, at):
    return int.from_bytes(b[at:at + 8], "little")


def bits(b, at, n):
    """n bits from bit `at` on, least significant first."""
    return int.from_bytes(b[at // 8:(at + n + 7) // 8], "little") >> at % 8 & (1 << n) - 1


def round_up(n, to):
    return (n + to - 1) // to * to


def text(b, at):
    return b[at:b.index(0, at)].decode("utf-8", "surrogateescape")


def width_of(n):
    """Bits that hold numbers below n."""
    return (n - 1).bit_length()


def unpack_blocks(b):
    """Blocks: what is packed in them, or the bytes themselves where they are no such file."""
    if b[:8] != b"\x89TGB\r\n\x1a\n":
        return b
    assert u16(b, 8) == 1 and u32(b, 12) == 64 and u64(b, 16) == len(b)
    assert u64(b, 56) == xxh3(b[:56])
    n, block, codec, n_blocks = u64(b, 24), u32(b, 32), u32(b, 36), u64(b, 40)
    table = b[len(b) - 16 * n_blocks:]
    assert n_blocks == -(-n // block) and u64(b, 48) == xxh3(table)
    starts = [u64(table, 16 * i) for i in range(n_blocks)] + [len(b) - len(table)]
    assert n_blocks == 0 or starts[0] == 64
    out = bytearray()
    for i in range(n_blocks):
        packed, size = b[starts[i]:starts[i + 1]], min(block, n - i * block)
        assert u64(table, 16 * i + 8) == (xxh3(packed) + i) % 2**64
        if len(packed) == size:
            out += packed
        elif codec == 1:
            out += bytes(cramjam.zstd.decompress(packed))
        else:
            out += bytes(cramjam.lz4.decompress_block(packed, output_len=size))
    assert len(out) == n
    return bytes(out)


@dataclass
class Column:
    name: str
    path: str
    title: str
    type: int
    n_items: int
    n_lists: int
    collection: int
    dims: list
    lists: int = NONE  # number of its innermost lists

    @property
    def n_words(self):
        return 1 if self.type == STRING else self.n_items


@dataclass
class Lists:
    parent: int
    per_parent: int
    collection: int
    column: int = NONE  # whose strings' bytes these are
    fields: list = field(default_factory=list)


@dataclass
class Code:
    kind: int
    w: int = 0
    m: int = 0
    tz: int = 0
    flags: int = 0
    n_heads: int = 0
    other: int = NONE  # of an alias
    n_texts: int = 0
    text_bytes: int = 0
    heads: list = None
    common: int = 0
    texts: list = None

    @property
    def is_sparse(self):
        return self.flags & 1


def code_of(b, at):
    kind = b[at]
    if kind == ALIAS:
        assert b[at + 1:at + 4] == b"\0\0\0"
        return Code(kind, other=u32(b, at + 4))
    if kind == TEXT:
        return Code(kind, w=b[at + 1], n_texts=u16(b, at + 2) + 1, text_bytes=u32(b, at + 4))
    code = Code(kind, b[at + 1], b[at + 2], b[at + 3], b[at + 4], u16(b, at + 6))
    assert b[at + 5] == 0 and kind <= DECIMAL
    if kind != COUNT:
        assert code.n_heads == 1 if code.w == code.m else width_of(code.n_heads) == code.w - code.m
    return code


def value(code, c, type_):
    """The bits of the value of a word."""
    n = 8 * TYPE_BYTES[type_]
    v = (code.heads[c >> code.m] + ((c & (1 << code.m) - 1) << code.tz)) % 2**n if code.kind != DECIMAL else None
    if v is not None:
        return v
    k = (code.heads[0] + c) % 2**n
    k -= 2**n if k >> n - 1 else 0
    number = k / 10**code.tz  # of integers: the f64 nearest to the quotient
    return u64(struct.pack("<d", number), 0) if type_ == F64 else u32(struct.pack("<f", number), 0)


class Store:
    def __init__(self, content):
        self.bytes = b = unpack_blocks(content)
        assert b[:8] == b"\x89TGM\r\n\x1a\n" and u16(b, 8) == 1
        self.minor = u16(b, 10)
        assert u32(b, 12) == 4096 and u64(b, 16) == len(b) and u64(b, 4088) == xxh3(b[:4088])
        self.n_events, self.schema_hash, n_clusters = u64(b, 24), u64(b, 32), u32(b, 40)
        self.tile_events, n_columns, n_collections = u32(b, 44), u32(b, 48), u32(b, 52)
        self.n_chunks, self.cycle, n_sections, self.layout = u32(b, 56), u32(b, 60), u32(b, 64), u32(b, 68)
        self.sections = {}
        for i in range(n_sections):
            row = b[128 + 32 * i:160 + 32 * i]
            id_, flags, offset, n = u32(row, 0), u32(row, 4), u64(row, 8), u64(row, 16)
            assert id_ not in self.sections and offset % 64 == 0 and offset + n <= len(b)
            assert id_ in range(1, 12) or not flags & 1
            self.sections[id_] = b[offset:offset + n]
            assert u64(row, 24) == xxh3(self.sections[id_])
        assert self.schema_hash == xxh3(self.sections[SCHEMA])
        self.read_schema(n_columns, n_collections)
        self.number_lists()
        self.number_fields()
        self.clusters = []
        if self.layout != FIXED:
            self.clusters = [Cluster(self, self.sections[CLUSTERS][64 * i:64 * i + 64]) for i in range(n_clusters)]
            assert sum(c.n_events for c in self.clusters) == self.n_events
        assert (TEXTS in self.sections) == any(c.kind == TEXT for k in self.clusters for c in k.codes)

    def read_schema(self, n_columns, n_collections):
        s = self.sections[SCHEMA]
        assert (u32(s, 0), u32(s, 4)) == (n_columns, n_collections)
        n_dims, text_bytes, word_bytes, name_bytes = (u32(s, at) for at in (8, 12, 16, 20))
        at_collections = 64 + 12 * n_columns
        at_order = at_collections + 16 * n_collections
        at_dims = at_order + 4 * n_columns
        at_names = at_dims + 4 * n_dims
        names, words = s[at_names:at_names + name_bytes], s[at_names + name_bytes:]
        assert len(words) == word_bytes and (not words or words[-1] == 0)
        self.tree, self.title = text(names, 0), text(names, u32(s, 24))
        self.collections = []
        for i in range(n_collections):
            row = s[at_collections + 16 * i:][:16]
            self.collections.append((text(names, u32(row, 0)), u32(row, 4), u32(row, 8)))
        dims = [u32(s, at_dims + 4 * i) for i in range(n_dims)]
        self.columns, at, told, name, title = [], 0, 0, b"", b""

        def string():
            nonlocal at
            begin, at = at, words.index(0, at) + 1
            return words[begin:at - 1]

        for i in range(n_columns):
            row = s[64 + 12 * i:76 + 12 * i]
            a, kind = words[at], words[at + 1]
            at += 2
            name = name[:a] + string()
            path = string() if kind == 1 else name
            b, c = words[at], words[at + 1]
            at += 2
            middle, before = string(), title
            title = name[:b] + middle + before[len(before) - c:]
            told += len(name) + 1 + (len(path) + 1 if kind == 1 else 0)
            told += 0 if b == 0 and not middle and c == len(before) else len(title) + 1
            own, dims = dims[:row[10]], dims[row[10]:]
            self.columns.append(Column(*(x.decode("utf-8", "surrogateescape") for x in (name, path, title)), row[8],
                                       u32(row, 0), row[9], u32(row, 4), own))
        assert at == len(words) and told == text_bytes and not dims
        order = [u32(s, at_order + 4 * i) for i in range(n_columns)]
        encoded = [c.name.encode("utf-8", "surrogateescape") for c in self.columns]
        assert [encoded[i] for i in order] == sorted(set(encoded))

    def number_lists(self):
        self.lists, of_collection = [], {}

        def lists_of(collection):
            if collection not in of_collection:
                parent = self.collections[collection][1]
                above = NONE if parent == NONE else lists_of(parent)
                of_collection[collection] = len(self.lists)
                self.lists.append(Lists(above, 1, collection))
            return of_collection[collection]

        for i, column in enumerate(self.columns):
            if column.n_lists:
                column.lists = lists_of(column.collection)
            if column.type == STRING:
                self.lists.append(Lists(column.lists, column.n_items, NONE, i))
                column.lists = len(self.lists) - 1

    def number_fields(self):
        def run(column):
            return 4 if column.type == BOOL else 3 - TYPE_BYTES[column.type].bit_length() + 1

        scalars = [i for i, c in enumerate(self.columns) if c.lists == NONE]
        self.fields = sorted(scalars, key=lambda i: run(self.columns[i]))
        self.n_scalars = len(self.fields)
        for number, lists in enumerate(self.lists):
            lists.fields = [i for i, c in enumerate(self.columns) if c.lists == number]
            self.fields += lists.fields

    def column(self, i):
        """Bits of a column's values, event by event: an integer, or a list of those of n_items or of each level; None for a null."""
        if self.layout == FIXED:
            return self.fixed_column(i)
        return [v for cluster in self.clusters for v in cluster.column(i)]

    # The fixed layout.

    def slots(self):
        s = self.sections[RECORDS]
        n_axes = u32(s, 0)
        n_slots = 1
        for a in range(n_axes):
            n_slots *= u64(s, 32 + 8 * a)
        if SLOTS not in self.sections:
            return list(range(n_slots))
        taken = [i for i in range(n_slots) if bits(self.sections[SLOTS], i, 1)]
        assert bits(self.sections[SLOTS], n_slots, 8 * len(self.sections[SLOTS]) - n_slots) == 0
        return taken

    def records(self):
        s = self.sections[RECORDS]
        n_words, n, at = u32(s, 4), u64(s, 8), u64(s, 16)
        assert n >= 8 * n_words == 8 * sum(c.n_items for c in self.columns)
        out = []
        for row, slot in enumerate(self.slots()):
            record = self.bytes[at + slot * n:at + slot * n + n]
            assert u32(self.sections[CHECKSUMS], 4 * row) == (xxh3(record) + row) % 2**32
            assert not any(record[8 * n_words:])
            out.append(record)
        assert len(out) == self.n_events
        return out

    def fixed_column(self, i):
        s, column = self.sections[RECORDS], self.columns[i]
        first = sum(c.n_items for c in self.columns[:i])
        begin = 64 + round_up(len(self.columns), 8)
        exceptions = {u64(s, begin + 8 * e) for e in range(u64(s, 24))}
        out = []
        for row, record in enumerate(self.records()):
            words = [u64(record, 8 * (first + k)) for k in range(column.n_items)]
            is_null = words[0] == FIXED_NULL and row * u32(s, 4) + first not in exceptions
            found = None if is_null else [narrow(w, column.type) for w in words]
            out.append(found if is_null or column.dims else found[0])
        return out


def narrow(word, type_):
    """The word of a record as the bits of its column's type."""
    if type_ == F64:
        return word
    if type_ == F32:
        if word >> 52 & 0x7FF == 0x7FF:  # bit by bit: a NaN keeps its mantissa
            return word >> 63 << 31 | 0xFF << 23 | word >> 29 & 0x7FFFFF
        return u32(struct.pack("<f", struct.unpack("<d", struct.pack("<Q", word))[0]), 0)
    return int(struct.unpack("<d", struct.pack("<Q", word))[0]) % 2**(8 * TYPE_BYTES[type_])


class Cluster:
    def __init__(self, store, row):
        self.store = store
        self.first, self.n_events, n = u64(row, 0), u32(row, 8), u32(row, 12)
        self.tiles_at, self.chunks_at, at = u64(row, 16), u64(row, 48), u64(row, 32)
        self.table = t = store.bytes[at:at + n]
        assert at % 64 == 0 and u64(row, 40) == xxh3(t) and u64(row, 56) == 0
        self.k, n_tiles, n_nullable, head_bytes = u32(t, 4), u32(t, 8), u32(t, 12), u64(t, 16)
        assert u32(t, 0) == self.n_events and n_tiles == -(-self.n_events // self.k)
        n_lists, n_fields = len(store.lists), len(store.fields)
        at = 32
        self.n_items = [u64(t, at + 16 * i) for i in range(n_lists)]
        self.end_bits = [u64(t, at + 16 * i + 8) for i in range(n_lists)]
        at += 16 * n_lists
        self.codes = [code_of(t, at + 8 * i) for i in range(n_fields + n_nullable)]
        at += 8 * len(self.codes)
        self.nullable = [u32(t, at + 4 * i) for i in range(n_nullable)]
        at += 4 * n_nullable
        starts = [u32(t, at + 4 * i) for i in range(n_tiles + 1)]
        self.read_heads(t[round_up(at + 4 * (n_tiles + 1), 8):], head_bytes)
        self.tiles = [Tile(self, i, store.bytes[self.tiles_at + starts[i]:self.tiles_at + starts[i + 1]])
                      for i in range(n_tiles)]
        for number, n in enumerate(self.n_items):
            assert n == sum(tile.n_items[number] for tile in self.tiles)

    def type_of(self, f):
        """Of the words of a field, or of a nullable column's validity."""
        return self.store.columns[self.store.fields[f]].type if f < len(self.store.fields) else BOOL

    def read_heads(self, heads, n):
        assert len(heads) == n
        at = 0
        for width in (8, 4, 2, 1):
            for f, code in enumerate(self.codes):
                if code.kind == TEXT and width == 4:
                    code.heads = [u32(heads, at + 4 * i) for i in range(code.n_texts)]
                    at += 4 * code.n_texts
                elif code.kind == TEXT and width == 1:
                    ends = [0, *code.heads]
                    code.texts = [heads[at + a:at + z] for a, z in zip(ends, ends[1:])]
                    assert ends[-1] == code.text_bytes
                    at += code.text_bytes
                if code.kind in (COUNT, ALIAS, TEXT) or TYPE_BYTES[self.type_of(f)] != width:
                    continue
                found = [int.from_bytes(heads[at + width * i:at + width * (i + 1)], "little")
                         for i in range(code.n_heads + code.is_sparse)]
                at += width * len(found)
                code.common, code.heads = (found[0], found[1:]) if code.is_sparse else (0, found)
        assert not any(heads[at:])

    def column(self, i):
        return [v for tile in self.tiles for v in tile.column(i)]


class Tile:
    """Where the parts of a tile stand; words and values out of it."""

    def __init__(self, cluster, number, content):
        store, k = cluster.store, cluster.k
        self.cluster, self.b, self.n_events = cluster, content[4:], min(k, cluster.n_events - number * k)
        assert u32(content, 0) == (xxh3(self.b) + cluster.first + number * k) % 2**32
        self.ends_at, self.n_items, self.offsets = {}, [0] * len(store.lists), [None] * len(store.lists)
        self.at, at = {}, 0
        for number, lists in enumerate(store.lists):
            if lists.parent == NONE:
                at = self.read_ends(number, at, k * lists.per_parent)
        for f in range(store.n_scalars):
            self.at[f] = at
            at += k * store.columns[store.fields[f]].n_words * cluster.codes[f].w
        for v in range(len(cluster.nullable)):
            self.at[len(store.fields) + v] = at
            at += k * cluster.codes[len(store.fields) + v].w
        for number, lists in enumerate(store.lists):
            if lists.parent != NONE:
                at = self.read_ends(number, at, self.n_items[lists.parent] * lists.per_parent)
        inner = [(f, store.columns[i].lists, store.columns[i].n_words) for f, i in enumerate(store.fields)
                 if f >= store.n_scalars]
        for f, l, n_words in inner:
            if not cluster.codes[f].is_sparse and cluster.codes[f].kind != TEXT:
                self.at[f] = at
                at += self.n_items[l] * n_words * cluster.codes[f].w
        self.presence = {}
        for f, l, n_words in inner:
            if cluster.codes[f].is_sparse:
                n = self.n_items[l] * n_words
                self.presence[f] = [bits(self.b, at + i, 1) for i in range(n)]
                at += n
        for f in self.presence:
            self.at[f] = at
            at += sum(self.presence[f]) * cluster.codes[f].w
        assert round_up(at, 8) == 8 * len(self.b) and bits(self.b, at, -at % 8) == 0

    def read_ends(self, number, at, n):
        w = self.cluster.end_bits[number]
        words = [bits(self.b, at + i * w, w) for i in range(n)]
        lists = self.cluster.store.lists[number]
        code = self.cluster.codes[self.cluster.store.fields.index(lists.column)] if lists.column != NONE else None
        if code and code.kind == TEXT:
            self.texts = getattr(self, "texts", {})
            self.texts[number] = [code.texts[c] for c in words]
            inside = self.n_events * lists.per_parent if lists.parent == NONE else n
            offsets = [0]
            for i, one in enumerate(self.texts[number]):
                offsets.append(offsets[-1] + (len(one) if i < inside else 0))
        else:
            offsets = [0, *words]
        assert offsets == sorted(offsets)
        self.offsets[number], self.n_items[number] = offsets, offsets[-1]
        return at + n * w

    def words(self, f, type_, n):
        """Bits of a field's n values."""
        code = self.cluster.codes[f]
        if code.kind == ALIAS:
            return self.words(code.other, type_, n)
        if not code.is_sparse:
            return [value(code, bits(self.b, self.at[f] + i * code.w, code.w), type_) for i in range(n)]
        out, at = [], self.at[f]
        for is_there in self.presence[f][:n]:
            out.append(value(code, bits(self.b, at, code.w), type_) if is_there else code.common)
            at += code.w if is_there else 0
        return out

    def column(self, i):
        store, column = self.cluster.store, self.cluster.store.columns[i]
        f, n, l = store.fields.index(i), self.n_events, column.lists
        code = self.cluster.codes[f]
        if code.kind == COUNT:
            counted = next(x for x, lists in enumerate(store.lists)
                           if lists.collection != NONE and store.collections[lists.collection][2] == i)
            offsets = self.offsets[counted]
            values = [offsets[e + 1] - offsets[e] for e in range(n)]
        else:
            if code.kind == TEXT:
                flat = list(b"".join(self.texts[l])) if self.n_items[l] else []
            else:
                n_places = n if l == NONE else self.n_items[l]
                flat = self.words(f, column.type, n_places * column.n_words)
            values = flat
            if column.n_words > 1 or column.dims and column.type != STRING:
                values = [flat[at:at + column.n_words] for at in range(0, len(flat), column.n_words)]
            while l != NONE:
                offsets, lists = self.offsets[l], store.lists[l]
                values = [values[a:z] for a, z in zip(offsets, offsets[1:])]
                if lists.column != NONE and column.dims:  # n_items strings stand to a parent
                    values = [values[at:at + lists.per_parent] for at in range(0, len(values), lists.per_parent)]
                l = lists.parent
        if i in self.cluster.nullable:
            v = len(store.fields) + self.cluster.nullable.index(i)
            valid = self.words(v, BOOL, n)
            values = [x if ok else None for x, ok in zip(values, valid)]
        return values[:n]


def chunks(store, cluster_number):
    """(which, values, validity) of each chunk of a cluster: which as it stands, values' bits, bits of validity or None."""
    s, n, cluster = store.sections.get(CHUNKS, b""), store.n_chunks, store.clusters[cluster_number]
    for i in range(n):
        which, at = u32(s, 4 * i), 4 * n + 4 * (n + 1) * cluster_number + 4 * i
        b = store.bytes[cluster.chunks_at + u32(s, at):cluster.chunks_at + u32(s, at + 4)]
        assert u32(b, 0) == (xxh3(b[4:]) + cluster.first + 0x9E3779B1 * which) % 2**32
        type_ = U32 if which >> 31 else store.columns[which].type
        n_values, code, width = u32(b, 4), code_of(b, 8), TYPE_BYTES[type_]
        if code.kind == COUNT:
            yield which, None, None
            continue
        reach = 1 << code.w - code.m
        code.heads = [int.from_bytes(b[16 + width * h:16 + width * (h + 1)], "little") for h in range(reach)]
        assert not any(code.heads[code.n_heads:])
        at, validity = 16 + width * reach, None
        if code.flags & 2:
            validity = [bits(b, 8 * at + e, 1) for e in range(cluster.n_events)]
            at += (cluster.n_events + 7) // 8
        assert at + (n_values * code.w + 7) // 8 == len(b)
        yield which, [value(code, bits(b, 8 * at + v * code.w, code.w), type_) for v in range(n_values)], validity


def origins(store):
    """The entry of the sources that each row is."""
    s = store.sections.get(ORIGIN)
    if s is None:
        return list(range(store.n_events))
    kind, width, n = u32(s, 0), u32(s, 4), u64(s, 8)
    if kind == 2:
        assert len(s) == 32 + n * width // 8 + 17
        return [bits(s, 256 + r * width, width) for r in range(n)]
    runs = [(u64(s, 32 + 16 * i), u64(s, 40 + 16 * i)) for i in range(n)] + [(store.n_events, None)]
    return [entry + k for (row, entry), (end, _) in zip(runs, runs[1:]) for k in range(end - row)]


def provenance(store):
    s = store.sections[PROVENANCE]
    n_sources, n_absents = u32(s, 0), u32(s, 4)
    at_absents = 32 + 40 * n_sources
    t = s[at_absents + 32 * n_absents:]
    sources = [{"file": text(t, u32(s, at)), "uuid": text(t, u32(s, at + 4)), "tree": text(t, u32(s, at + 8)),
                "cycle": u32(s, at + 12), "file_bytes": u64(s, at + 16), "entries": u64(s, at + 24)}
               for at in range(32, at_absents, 40)]
    absents = [(u32(s, at), u32(s, at + 4), text(t, u32(s, at + 8)), text(t, u32(s, at + 12)), u64(s, at + 16))
               for at in range(at_absents, at_absents + 32 * n_absents, 32)]
    return {"producer": text(t, u32(s, 8)), "options": text(t, u32(s, 12)), "sources": sources, "absents": absents}


def index(s):
    """(names of the axes, [(id, entry)] in coordinate order) of an index section."""
    assert s[:8] == b"TAGMAIDX" and u32(s, 8) == 1 and u64(s, 16) == len(s) and u64(s, 24) == xxh3(s[32:])
    n_entries, n_axes, names_bytes = u64(s, 32), u32(s, 56), u32(s, 60)
    at_names = 64 + 80 * n_axes
    names = s[at_names:at_names + names_bytes].split(b"\0")[:n_axes]
    at, prefixes, out = at_names + names_bytes, [()], []
    for level in range(n_axes):
        d = s[64 + 80 * level:144 + 80 * level]
        n_nodes, n_keys, n_buckets, base, _, stride, correction, shift = (u64(d, 8 * i) for i in range(8))
        flags, low, base_bits, first_bits, shift_bits, delta, directory_bits, step = d[64:72]
        is_dense = flags & 2
        sizes = [((n_nodes + 1) * (base_bits + first_bits + shift_bits) + 7) // 8,
                 0 if is_dense else 8 * ((n_keys + n_buckets) // 64 + 1),
                 0 if is_dense else (((n_buckets >> step) + 1) * directory_bits + 7) // 8,
                 0 if is_dense else 8 * ((n_keys + n_buckets) // 4096 + 1), (n_keys * (low + delta) + 7) // 8]
        arrays = []
        for size in sizes:
            at = round_up(at, 64)
            arrays.append(s[at:at + size])
            at += size
        nodes, ones, _, _, slots = arrays
        record = base_bits + first_bits + shift_bits
        bases = [(base + bits(nodes, c * record, base_bits)) % 2**64 for c in range(n_nodes)]
        firsts = [(c * stride + bits(nodes, c * record + base_bits, first_bits) - correction) % 2**64 if first_bits
                  else c * stride for c in range(n_nodes + 1)]
        shifts = [bits(nodes, c * record + base_bits + first_bits, shift_bits) for c in range(n_nodes)]
        assert firsts[0] == 0 and firsts[-1] == n_buckets and len(prefixes) == n_nodes
        buckets, bucket = list(range(n_keys)), 0
        if not is_dense:
            buckets = []
            for i in range(n_keys + n_buckets):
                if bits(ones, i, 1):
                    buckets.append(bucket)
                else:
                    bucket += 1
        node, below = 0, []
        for r, bucket in enumerate(buckets):
            while bucket >= firsts[node + 1]:
                node += 1
            l, slot_delta = bits(slots, r * (low + delta), low), bits(slots, r * (low + delta) + low, delta)
            key = (bases[node] + (bucket - firsts[node] << low) + l) % 2**64
            key = key ^ 1 << 63 if flags & 1 else key
            below.append((*prefixes[node], key))
            if level + 1 == n_axes:
                out.append((below[-1], (shift + shifts[node] + slot_delta + (r if flags & 4 else 0)) % 2**64))
        prefixes = below
    assert len(out) == n_entries
    return [n.decode() for n in names], out
