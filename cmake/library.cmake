# SPDX-License-Identifier: Apache-2.0
# The library: compiled once, position independent, kept as an archive and as a shared object. Only what
# include/tagma/ promises is visible outside of the shared one (tools/check-symbols looks).
file(GLOB TAGMA_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/*.c)
add_library(tagma_objects OBJECT ${TAGMA_SOURCES})
# One function that is called only where the processor has AVX2.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/base/widehash.c PROPERTIES COMPILE_OPTIONS -mavx2)
endif()
set_target_properties(tagma_objects PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
target_include_directories(tagma_objects PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(tagma_objects PRIVATE tagma_flags PkgConfig::DEPS Threads::Threads)
target_compile_options(tagma_objects PRIVATE -fno-semantic-interposition)
if(TAGMA_COVERAGE)
    target_compile_options(tagma_objects PRIVATE --coverage -fprofile-update=prefer-atomic)
    add_link_options(--coverage)
endif()
if(TAGMA_FUZZ)
    target_compile_options(tagma_objects PRIVATE -fsanitize=fuzzer-no-link)
endif()

add_library(tagma_static STATIC $<TARGET_OBJECTS:tagma_objects>)
set_target_properties(tagma_static PROPERTIES OUTPUT_NAME tagma EXPORT_NAME tagma_static)
# Outside, tagma-config.cmake finds the dependencies again, under a name of its own.
target_link_libraries(tagma_static PUBLIC $<BUILD_INTERFACE:PkgConfig::DEPS>
    $<INSTALL_INTERFACE:PkgConfig::TAGMA_DEPS> Threads::Threads)

add_library(tagma_shared SHARED $<TARGET_OBJECTS:tagma_objects>)
set_target_properties(tagma_shared PROPERTIES OUTPUT_NAME tagma EXPORT_NAME tagma
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
target_link_libraries(tagma_shared PRIVATE PkgConfig::DEPS Threads::Threads)
if(NOT TAGMA_SANITIZE)
    target_link_options(tagma_shared PRIVATE -Wl,--no-undefined)
endif()

foreach(target tagma_static tagma_shared)
    target_include_directories(${target} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()

# The arrows between the rooms fail the build, where there is an interpreter to look at them.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(Python3_FOUND)
    file(GLOB_RECURSE TAGMA_LAYERED CONFIGURE_DEPENDS
        ${PROJECT_SOURCE_DIR}/src/*.[ch] ${PROJECT_SOURCE_DIR}/include/*.h ${PROJECT_SOURCE_DIR}/cli/*
        ${PROJECT_SOURCE_DIR}/examples/*.c)
    add_custom_command(OUTPUT layers.stamp
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check-layers ${PROJECT_SOURCE_DIR}
        COMMAND ${CMAKE_COMMAND} -E touch layers.stamp
        DEPENDS ${TAGMA_LAYERED} ${PROJECT_SOURCE_DIR}/tools/check-layers
        COMMENT "Checking the arrows between the rooms")
    add_custom_target(tagma_layers ALL DEPENDS layers.stamp)
endif()
