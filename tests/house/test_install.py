# SPDX-License-Identifier: Apache-2.0
"""An installed Tagma is found by pkg-config and by CMake from a program that knows nothing of this tree."""
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RELEASE = Path(os.environ.get("TAGMA_RELEASE", ROOT / "build" / "release"))

PROGRAM = """
#include <stdio.h>
#include <string.h>
#include <tagma/tagma.h>

/* Opening a file takes in everything that the library needs: codecs, checksums, threads. */
int main(int argc, char **argv)
{
    tagma_ctx *ctx;
    tagma_events *events = NULL;
    if (tagma_ctx_new(NULL, &ctx) < 0)
        return 2;
    if (argc > 1 && tagma_open(ctx, argv[1], NULL, &events) < 0)
        return 2;
    tagma_events_release(events);
    tagma_ctx_free(ctx);
    printf("%s\\n", tagma_version());
    return strcmp(tagma_version(), TAGMA_VERSION) != 0;
}
"""


def run(*command, **more):
    said = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **more)
    assert said.returncode == 0, said.stdout + said.stderr
    return said.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    where = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", RELEASE, "--prefix", where)
    return where


@pytest.fixture
def program(tmp_path):
    (tmp_path / "outside.c").write_text(PROGRAM)
    return tmp_path


def libdir(prefix):
    return next(prefix.glob("lib/**/tagma.pc")).parent.parent


def environment(prefix):
    return os.environ | {"PKG_CONFIG_PATH": str(libdir(prefix) / "pkgconfig"), "LD_LIBRARY_PATH": str(libdir(prefix))}


def test_pkg_config_builds_an_outside_program(prefix, program):
    env = environment(prefix)
    flags = run("pkg-config", "--cflags", "--libs", "tagma", env=env).split()
    run("cc", "-std=c17", "-pedantic", "-Werror", program / "outside.c", "-o", program / "outside", *flags)
    assert run(program / "outside", env=env) == "0.1.0\n"


def test_pkg_config_builds_against_the_archive(prefix, program):
    env = environment(prefix)
    flags = run("pkg-config", "--static", "--cflags", "--libs", "tagma",
                env=env).split()
    flags = [str(libdir(prefix) / "libtagma.a") if flag == "-ltagma" else flag for flag in flags]
    run("cc", "-std=c17", program / "outside.c", "-o", program / "outside", *flags)
    assert run(program / "outside") == "0.1.0\n"


@pytest.mark.parametrize("library", ["tagma::tagma", "tagma::tagma_static"])
def test_find_package_builds_an_outside_program(prefix, program, library):
    (program / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(outside LANGUAGES C)\nfind_package(tagma 0.1 REQUIRED)\n"
        f"add_executable(outside outside.c)\ntarget_link_libraries(outside PRIVATE {library})\n")
    said = subprocess.run(["cmake", "-B", program / "build", "-S", program, f"-DCMAKE_PREFIX_PATH={prefix}"],
                          capture_output=True, text=True, check=False)
    assert (said.returncode, said.stderr) == (0, "")
    run("cmake", "--build", program / "build")
    assert run(program / "build" / "outside") == "0.1.0\n"


def test_find_package_refuses_another_minor_version(prefix, program):
    (program / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(outside LANGUAGES C)\nfind_package(tagma 0.2 REQUIRED)\n")
    said = subprocess.run(["cmake", "-B", program / "build", "-S", program, f"-DCMAKE_PREFIX_PATH={prefix}"],
                          capture_output=True, text=True, check=False)
    assert said.returncode != 0
    assert "0.2" in said.stderr


def test_man_pages_and_completions_are_installed(prefix):
    assert {path.name for path in (prefix / "share/man/man1").iterdir()} == {
        path.name for path in (ROOT / "docs/man").glob("*.1")}
    for name in ("bash-completion/completions/tagma", "zsh/site-functions/_tagma", "fish/vendor_completions.d/tagma.fish"):
        assert (prefix / "share" / name).is_file()


def test_a_plain_cmake_without_presets_builds(tmp_path):
    # Not optimised: it is the rules that are tried.
    run("cmake", "-B", tmp_path / "plain", "-S", ROOT, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS_RELEASE=-O0")
    run("cmake", "--build", tmp_path / "plain", "--target", "tagma_shared")
    assert (tmp_path / "plain" / "libtagma.so").exists()


def test_destdir_is_honoured(tmp_path):
    run("cmake", "--install", RELEASE, "--prefix", "/usr", env=os.environ | {"DESTDIR": str(tmp_path)})
    assert (tmp_path / "usr/include/tagma/tagma.h").is_file()
    shutil.rmtree(tmp_path / "usr")
