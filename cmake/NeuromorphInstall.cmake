# SPDX-License-Identifier: BSL-1.0
# What is installed and packed: headers; what firmware needs besides them, start-up code, linker scripts, neuromorph_add_firmware
# and the toolchain file; a file for pkg-config; licence and docs.
include(CMakePackageConfigHelpers)
set(neuromorph_share ${CMAKE_INSTALL_DATADIR}/cmake/neuromorph)
install(TARGETS neuromorph EXPORT neuromorph)
install(DIRECTORY include/neuromorph DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT neuromorph NAMESPACE neuromorph:: FILE neuromorph-targets.cmake DESTINATION ${neuromorph_share})
write_basic_package_version_file(neuromorph-config-version.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES cmake/neuromorph-config.cmake cmake/NeuromorphFirmware.cmake cmake/NeuromorphSpinnaker.cmake
  cmake/arm-none-eabi.cmake cmake/riscv-none-elf.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/neuromorph-config-version.cmake DESTINATION ${neuromorph_share})
install(DIRECTORY cmake/firmware DESTINATION ${neuromorph_share})
configure_file(cmake/neuromorph.pc.in neuromorph.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/neuromorph.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)
install(FILES LICENSE README.md CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(neuromorph_is_top) # `cpack` in the build folder
  set(CPACK_PACKAGE_NAME neuromorph)
  set(CPACK_PACKAGE_VENDOR neuromorph)
  set(CPACK_PACKAGE_CONTACT "the neuromorph maintainers <maintainers@neuromorph.example>")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
  set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
  set(CPACK_RESOURCE_FILE_README ${PROJECT_SOURCE_DIR}/README.md)
  set(CPACK_GENERATOR TGZ)
  set(CPACK_SYSTEM_NAME any)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE all)
  set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
  set(CPACK_SOURCE_GENERATOR TGZ)
  set(CPACK_SOURCE_IGNORE_FILES /build/ /\\.git/)
  include(CPack)
endif()
