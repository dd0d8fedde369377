# SPDX-License-Identifier: Apache-2.0
# Where things are, and how programs that use real ROOT, or Tagma's C interface, are compiled.
import os
import pathlib
import subprocess
import sys

BENCH = pathlib.Path(__file__).resolve().parents[1]
REPO = BENCH.parent
BUILD = pathlib.Path(os.environ.get("TAGMA_BENCH_BUILD", REPO / "build" / "bench"))
DATA = pathlib.Path(os.environ.get("TAGMA_BENCH_DATA", REPO / "build" / "bench-data"))
RELEASE = pathlib.Path(os.environ.get("TAGMA_RELEASE", REPO / "build" / "release"))
SHARED = pathlib.Path(os.environ.get("TAGMA_SHARED", REPO.parent / "shared"))
LIBRARIES = ["Core", "RIO", "Tree", "TreePlayer", "ROOTDataFrame", "ROOTVecOps", "ROOTNTuple", "ROOTNTupleUtil", "Net",
             "MathCore", "Hist", "Imt"]
_found = {}


class BenchError(Exception):
    """Told to the user as it is."""


def run(argv, **options):
    result = subprocess.run([str(word) for word in argv], text=True, capture_output=True, check=False, **options)
    if result.returncode != 0:
        raise BenchError(f"{' '.join(map(str, argv))}\n{result.stdout}{result.stderr}".rstrip())
    return result.stdout


def python():
    """The interpreter that has ROOT and uproot; bench/setup makes it at first."""
    if "python" not in _found:
        _found["python"] = pathlib.Path(run([BENCH / "setup"]).strip()) / "bin" / "python"
    return _found["python"]


def rootsys():
    """ROOT inside the package. Its CMake description and root-config name paths that are not there: not used."""
    if "rootsys" not in _found:
        code = "import importlib.util as u; print(u.find_spec('ROOT').submodule_search_locations[0])"
        _found["rootsys"] = pathlib.Path(run([python(), "-c", code]).strip())
    return _found["rootsys"]


def newest(paths):
    return max((p.stat().st_mtime for p in paths), default=0)


def is_fresh(target, sources):
    return target.exists() and target.stat().st_mtime >= newest(sources)


def cxx():
    return os.environ.get("CXX", "g++")


def root_program(name):
    """Compile bench/NAME.cxx against real ROOT, at need. Returns the program."""
    target = BUILD / name
    sources = [BENCH / f"{name}.cxx", *BENCH.glob("*.hxx"), *BENCH.glob("*.h")]
    if is_fresh(target, sources):
        return target
    BUILD.mkdir(parents=True, exist_ok=True)
    print(f"compiling {name}", file=sys.stderr)
    home = rootsys()
    extra = [edge_dictionary(home)] if name == "gen_edge" else []
    # The wheel's libraries lack symbols of graphics libraries that nothing here calls.
    run([cxx(), "-std=c++17", "-O2", "-Wall", "-Wextra", "-I", BENCH, "-isystem", home / "include",
         BENCH / f"{name}.cxx", *extra, "-o", target, f"-L{home / 'lib'}", *[f"-l{n}" for n in LIBRARIES],
         f"-Wl,-rpath,{home / 'lib'}", "-Wl,--allow-shlib-undefined"])
    return target


def edge_dictionary(home):
    run([home / "bin" / "rootcling", "-f", "edge_dict.cxx", f"-I{BENCH}", "edge_types.hxx", BENCH / "edge_linkdef.h"],
        cwd=BUILD)
    return BUILD / "edge_dict.cxx"


def c_program(name, archives, folders=(), linked=()):
    target = BUILD / name
    sources = [BENCH / f"{name}.c", *archives, *BENCH.glob("*.h"), *(REPO / "include" / "tagma").glob("*.h")]
    if is_fresh(target, sources):
        return target
    BUILD.mkdir(parents=True, exist_ok=True)
    print(f"compiling {name}", file=sys.stderr)
    modules = ["libdeflate", "liblzma", "liblz4", "libzstd", "libxxhash", "jansson"]
    flags = run(["pkg-config", "--libs", *modules]).split()
    run([os.environ.get("CC", "gcc"), "-std=c17", "-O2", "-march=x86-64-v2", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-I",
         BENCH, "-I", REPO / "include", *[f"-I{folder}" for folder in folders], BENCH / f"{name}.c", *archives, *linked, *flags, "-pthread",
         "-lm", "-o", target])
    return target


def tagma_program(name):
    """Compile bench/NAME.c against the release build of the library, at need, static as the released binary is. Only *_bench.c
    see more than <tagma/...>."""
    archive = RELEASE / "libtagma.a"
    if not archive.exists():
        raise BenchError(f"{archive} is not there: make build")
    return c_program(name, [archive], [REPO / "src"] if name.endswith("_bench") else [], ["-static"])


def ceiling():
    """The plain codec libraries over all baskets of a file."""
    return c_program("ceiling", [])


def tagma():
    binary = pathlib.Path(os.environ.get("TAGMA_BIN", RELEASE / "tagma"))
    if not binary.exists():
        raise BenchError(f"{binary} is not there: make build")
    return binary
