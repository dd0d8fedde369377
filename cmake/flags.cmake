# SPDX-License-Identifier: Apache-2.0
# How everything is compiled, and the options that change it.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_C_FLAGS_RELEASE "-O3")
set(CMAKE_CXX_FLAGS_RELEASE "-O2")

set(TAGMA_SANITIZE "" CACHE STRING "sanitizers, comma separated: address,undefined or thread")
option(TAGMA_COVERAGE "count the lines of src/ that run" OFF)
option(TAGMA_FUZZ "build the libFuzzer targets (needs clang)" OFF)
option(TAGMA_WERROR "warnings are errors" OFF)

include(GNUInstallDirs)

add_library(tagma_flags INTERFACE)
target_compile_definitions(tagma_flags INTERFACE _GNU_SOURCE)
# Messages are cut at the end of their buffer on purpose: no word about that.
target_compile_options(tagma_flags INTERFACE
    -Wall -Wextra -Wshadow -Wconversion -Wvla
    $<$<C_COMPILER_ID:GNU>:-Wno-format-truncation>
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>
    $<$<BOOL:${TAGMA_WERROR}>:-Werror>)
target_include_directories(tagma_flags INTERFACE ${PROJECT_SOURCE_DIR}/include)

# x86-64-v2 (every processor since about 2010) is the most that may be taken for granted.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    target_compile_options(tagma_flags INTERFACE -march=x86-64-v2)
endif()

if(TAGMA_SANITIZE)
    add_compile_options(-fsanitize=${TAGMA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${TAGMA_SANITIZE})
endif()
