# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where: headers, both libraries, their descriptions for pkg-config and CMake, the
# command line, its manual pages and completions.
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tagma DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS tagma_static tagma_shared EXPORT tagma
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET tagma_cli)
    install(TARGETS tagma_cli DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

list(JOIN TAGMA_REQUIRES " " TAGMA_REQUIRES_TEXT)
set(TAGMA_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/tagma)
install(EXPORT tagma NAMESPACE tagma:: DESTINATION ${TAGMA_CMAKE_DIR} FILE tagma-targets.cmake)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tagma-config.cmake.in tagma-config.cmake
    INSTALL_DESTINATION ${TAGMA_CMAKE_DIR})
# Before 1.0 a minor version may break what an earlier one promised.
write_basic_package_version_file(tagma-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tagma-config.cmake ${PROJECT_BINARY_DIR}/tagma-config-version.cmake
    DESTINATION ${TAGMA_CMAKE_DIR})

file(RELATIVE_PATH TAGMA_PREFIX_FROM_PC /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(${PROJECT_SOURCE_DIR}/cmake/tagma.pc.in tagma.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tagma.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

file(GLOB TAGMA_MAN CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.1)
install(FILES ${TAGMA_MAN} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_SOURCE_DIR}/completions/tagma.bash
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME tagma)
install(FILES ${PROJECT_SOURCE_DIR}/completions/_tagma DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${PROJECT_SOURCE_DIR}/completions/tagma.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
