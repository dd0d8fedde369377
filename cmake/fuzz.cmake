# SPDX-License-Identifier: Apache-2.0
# fuzz/fuzz_NAME.c has one LLVMFuzzerTestOneInput. With TAGMA_FUZZ it becomes a libFuzzer program; in every build
# with tests it becomes replay_NAME, which runs the committed inputs of fuzz/corpus/NAME and fuzz/finds/NAME.
file(GLOB TAGMA_FUZZ_C CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/fuzz_*.c)
foreach(path ${TAGMA_FUZZ_C})
    cmake_path(GET path STEM name)
    string(REPLACE fuzz_ replay_ replay ${name})
    string(REPLACE fuzz_ "" door ${name})
    if(TAGMA_FUZZ)
        add_executable(${name} ${path})
        target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/fuzz)
        target_link_libraries(${name} PRIVATE tagma_flags tagma_static)
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    endif()
    if(TAGMA_TESTS)
        add_executable(${replay} ${path} ${PROJECT_SOURCE_DIR}/fuzz/replay.c)
        target_include_directories(${replay} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/fuzz)
        target_link_libraries(${replay} PRIVATE tagma_flags tagma_static)
        add_test(NAME ${replay} COMMAND ${replay} fuzz/corpus/${door} fuzz/finds/${door}
                 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
        set_tests_properties(${replay} PROPERTIES LABELS fuzz TIMEOUT 600)
    endif()
endforeach()
