# SPDX-License-Identifier: Apache-2.0
"""What the oracle tests need of libtagma, by ctypes: every column of a tree as offsets and values. For tests only."""
import ctypes as C
import os
from pathlib import Path

import numpy as np

DTYPES = ["bool", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "S1"]
NONE = 0xFFFFFFFF
STRING = 11


class Column(C.Structure):
    _fields_ = [("name", C.c_char_p), ("path", C.c_char_p), ("title", C.c_char_p), ("reason", C.c_char_p),
                ("dims", C.POINTER(C.c_uint32)), ("n_dims", C.c_uint32), ("n_items", C.c_uint32), ("type", C.c_int),
                ("n_lists", C.c_uint32), ("collection", C.c_uint32)]


class BatchColumn(C.Structure):
    _fields_ = [("column", C.c_uint32), ("status", C.c_int), ("type", C.c_int), ("is_bits", C.c_bool),
                ("n_items", C.c_uint32), ("n_levels", C.c_uint32), ("n_values", C.c_uint64), ("values", C.c_void_p),
                ("offsets", C.c_void_p * 3), ("validity", C.c_void_p), ("damaged", C.c_void_p),
                ("buffers", C.c_void_p * 6)]


class FileInfo(C.Structure):
    _fields_ = [("struct_bytes", C.c_size_t), ("path", C.c_char_p), ("kind", C.c_char_p), ("bytes", C.c_uint64),
                ("version", C.c_int32), ("producer", C.c_char * 24), ("codec", C.c_char * 32), ("uuid", C.c_char * 37),
                ("condition", C.c_int), ("n_trees", C.c_uint32), ("n_classes", C.c_uint32)]


class TreeInfo(C.Structure):
    _fields_ = [("struct_bytes", C.c_size_t), ("name", C.c_char_p), ("class_name", C.c_char_p), ("title", C.c_char_p),
                ("cycle", C.c_uint32), ("is_newest", C.c_bool), ("n_entries", C.c_uint64), ("error", C.c_char_p)]


def load():
    build = Path(os.environ.get("TAGMA_RELEASE", Path(__file__).parents[2] / "build" / "release"))
    lib = C.CDLL(str(build / "libtagma.so"))
    lib.tagma_schema_column.restype = C.POINTER(Column)
    lib.tagma_batch_column_at.restype = C.POINTER(BatchColumn)
    lib.tagma_ctx_message.restype = C.c_char_p
    for name in ("tagma_events_schema",):
        getattr(lib, name).restype = C.c_void_p
    lib.tagma_events_n_entries.restype = C.c_uint64
    return lib


def array(address, dtype, n):
    if n == 0:
        return np.empty(0, dtype)
    kind = np.dtype(dtype)
    raw = (C.c_uint8 * (n * kind.itemsize)).from_address(address)
    return np.frombuffer(raw, kind).copy()


class Values:
    """One column of a whole tree. offsets: one array a level, as in <tagma/batch.h>."""

    def __init__(self, info, batch, n_entries):
        self.name, self.path = info.name.decode("utf-8", "surrogateescape"), info.path.decode("utf-8", "surrogateescape")
        self.title = info.title.decode("utf-8", "replace")
        self.type, self.n_items, self.n_lists = info.type, info.n_items, info.n_lists
        self.status = batch.status
        self.offsets = []
        n = n_entries
        for level in range(batch.n_levels):
            is_string = info.type == STRING and level + 1 == batch.n_levels
            n = n * info.n_items if is_string else n
            self.offsets.append(array(batch.offsets[level], "u4", n + 1))
            n = int(self.offsets[-1][-1])
        if batch.is_bits:
            bits = array(batch.values, "u1", (batch.n_values + 7) // 8)
            self.values = np.unpackbits(bits, bitorder="little")[:batch.n_values].astype("bool")
        else:
            self.values = array(batch.values, DTYPES[info.type], batch.n_values)
        self.has_dims = info.n_dims > 0
        self.validity = array(batch.validity, "u1", (n_entries + 7) // 8) if batch.validity else None


class Library:
    def __init__(self):
        self.lib = load()
        self.ctx = C.c_void_p()
        assert self.lib.tagma_ctx_new(None, C.byref(self.ctx)) == 0

    def check(self, status):
        if status < 0:
            raise RuntimeError(self.lib.tagma_ctx_message(self.ctx).decode("utf-8", "replace"))

    def trees(self, path):
        """(name, cycle, entries, columns that can be read, {name: reason} of the others) of every tree."""
        lib, file = self.lib, C.c_void_p()
        room = (C.c_uint64 * 64)(512)  # its first word says how long it is: more than the struct, whose own length comes back
        info = FileInfo.from_buffer(room)
        self.check(lib.tagma_file_open(self.ctx, str(path).encode(), 0, C.byref(file)))
        lib.tagma_file_get_info(file, C.byref(info))
        assert info.struct_bytes == C.sizeof(FileInfo), "tagma_file_info is not what this binding says it is"
        for i in range(info.n_trees):
            tree, events = TreeInfo(C.sizeof(TreeInfo)), C.c_void_p()
            self.check(lib.tagma_file_tree(self.ctx, file, i, C.byref(tree)))
            if tree.error:
                raise RuntimeError(tree.error.decode())
            self.check(lib.tagma_file_events(self.ctx, file, i, None, C.byref(events)))
            yield (tree.name.decode(), tree.cycle, tree.n_entries, *self.columns(events))
            lib.tagma_events_release(events)
        lib.tagma_file_release(file)

    def columns(self, events):
        lib, reader, batch = self.lib, C.c_void_p(), C.c_void_p()
        schema = C.c_void_p(lib.tagma_events_schema(events))
        n_entries = lib.tagma_events_n_entries(events)
        infos = [lib.tagma_schema_column(schema, c).contents for c in range(lib.tagma_schema_n_columns(schema))]
        refused = {c.path.decode("utf-8", "surrogateescape"): c.reason.decode() for c in infos if c.reason}
        self.check(lib.tagma_reader_new(self.ctx, events, None, C.byref(reader)))
        self.check(lib.tagma_read_columns(self.ctx, reader, C.c_uint64(0), C.c_uint64(n_entries), None, 0,
                                          C.byref(batch)))
        found = []
        for i in range(lib.tagma_batch_n_columns(batch)):
            column = lib.tagma_batch_column_at(batch, i).contents
            found.append(Values(infos[column.column], column, n_entries))
        lib.tagma_batch_free(batch)
        lib.tagma_reader_free(reader)
        return found, refused
