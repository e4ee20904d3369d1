# SPDX-License-Identifier: BSL-1.0
# `conan create packaging/conan` makes a package of this tree.
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, load
from conan.tools.layout import basic_layout


class NeuromorphConan(ConanFile):
    name = "neuromorph"
    description = "Header-only C++20 library for neuromorphic firmware"
    license = "BSL-1.0"
    url = "https://neuromorph.example"
    homepage = "https://neuromorph.example"
    topics = ("neuromorphic", "spiking-neural-networks", "fixed-point", "header-only", "firmware")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, "..", "..", "include", "neuromorph", "config.hpp"))
        self.version = ".".join(re.search(rf"NEUROMORPH_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("LICENSE", "include/*", "cmake/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def layout(self):
        basic_layout(self)

    def validate(self):
        check_min_cppstd(self, 20)

    def package_id(self):
        self.info.clear()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        copy(self, "*.hpp", os.path.join(self.source_folder, "include"), os.path.join(self.package_folder, "include"))

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "neuromorph")
        self.cpp_info.set_property("cmake_target_name", "neuromorph::neuromorph")
        self.cpp_info.set_property("pkg_config_name", "neuromorph")
