# SPDX-License-Identifier: Apache-2.0
# The libraries of Debian that Tagma uses. docs/decisions/ has a page for each.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
set(TAGMA_REQUIRES libdeflate liblzma liblz4 libzstd libxxhash jansson)
pkg_check_modules(DEPS REQUIRED IMPORTED_TARGET ${TAGMA_REQUIRES})

# The same ones as archives, for a program that needs nothing at run time. Debian's libzstd.a and libjansson.a
# are not position independent: what they are linked into is a plain executable, not a PIE.
add_library(tagma_deps_static INTERFACE)
set(TAGMA_HAVE_ARCHIVES TRUE)
foreach(name deflate lzma lz4 zstd xxhash jansson)
    find_library(TAGMA_ARCHIVE_${name} lib${name}.a)
    mark_as_advanced(TAGMA_ARCHIVE_${name})
    if(TAGMA_ARCHIVE_${name})
        target_link_libraries(tagma_deps_static INTERFACE ${TAGMA_ARCHIVE_${name}})
    else()
        set(TAGMA_HAVE_ARCHIVES FALSE)
    endif()
endforeach()
target_link_libraries(tagma_deps_static INTERFACE Threads::Threads)
