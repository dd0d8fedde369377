# SPDX-License-Identifier: Apache-2.0
# The command line. It sees <tagma/...> only. One C++ file spells numbers (std::to_chars); see
# docs/decisions/number-spelling.md.
file(GLOB TAGMA_CLI_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/*.c ${PROJECT_SOURCE_DIR}/cli/*.cc)

set(TAGMA_STATIC_DEFAULT ${TAGMA_HAVE_ARCHIVES})
if(TAGMA_SANITIZE)
    set(TAGMA_STATIC_DEFAULT OFF) # the sanitizers need the dynamic loader
endif()
option(TAGMA_STATIC_CLI "link the command line so that it needs nothing at run time" ${TAGMA_STATIC_DEFAULT})

if(TAGMA_CLI_SOURCES)
    add_executable(tagma_cli ${TAGMA_CLI_SOURCES})
    set_target_properties(tagma_cli PROPERTIES OUTPUT_NAME tagma)
    target_link_libraries(tagma_cli PRIVATE tagma_flags)
    add_dependencies(tagma_cli tagma_static)
    if(TAGMA_STATIC_CLI)
        target_link_libraries(tagma_cli PRIVATE $<TARGET_FILE:tagma_static> tagma_deps_static)
        target_compile_options(tagma_cli PRIVATE -fno-pie)
        target_link_options(tagma_cli PRIVATE -static -no-pie)
    else()
        target_link_libraries(tagma_cli PRIVATE tagma_static)
    endif()
    target_include_directories(tagma_cli PRIVATE ${PROJECT_SOURCE_DIR} ${DEPS_INCLUDE_DIRS})
endif()
