# SPDX-License-Identifier: BSL-1.0
# An overlay port: vcpkg install neuromorph --overlay-ports=packaging. tools/release writes the checksum of a release.
vcpkg_from_git(
  OUT_SOURCE_PATH SOURCE_PATH
  URL https://neuromorph.example/neuromorph.git
  REF "v${VERSION}")
set(VCPKG_BUILD_TYPE release) # headers
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DNEUROMORPH_BUILD_TESTS=OFF -DNEUROMORPH_BUILD_BENCHMARKS=OFF -DNEUROMORPH_BUILD_EXAMPLES=OFF -DNEUROMORPH_BUILD_CYCLES=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME neuromorph CONFIG_PATH share/cmake/neuromorph)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
