# SPDX-License-Identifier: BSL-1.0
"""packages.<way>: the files of each package manager, as far as they can be tried without it.

usage: packages.py WAY CXX [ARM_CXX]

Debian's, Meson's and CMake's are built with their own tools; those of Conan, vcpkg, Zephyr, ESP-IDF, PlatformIO and Arduino by stand-ins for
what these offer, which do what is documented of them.
"""

import hashlib
import json
import os
import re
import runpy
import shutil
import sys
import tempfile
import types
import zipfile
from pathlib import Path

from common import Failure, main, run, tool

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
OFF = [f"-DNEUROMORPH_BUILD_{what}=OFF" for what in ("TESTS", "BENCHMARKS", "EXAMPLES", "CYCLES")]
MINIMAL = ROOT / "examples/minimal/main.cpp"


def must(command, what, **options):
    done = run([str(word) for word in command], **options)
    if done.returncode:
        raise Failure(f"{what}: {' '.join(str(word) for word in command)}\n{done.stdout[-3000:]}")
    return done.stdout


def demand(holds, why):
    if not holds:
        raise Failure(why)


def release():
    return tool("release")


def has_git():
    return run(["git", "-C", ROOT, "rev-parse", "HEAD"]).returncode == 0


def tree(folder):
    """The files that belong to the project, as a copy."""
    if has_git():
        names = must(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"], "the files of the tree").splitlines()
    else:
        names = [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if not {"build", ".git"} & set(path.relative_to(ROOT).parts[:1])]
    for name in names:
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def runs(cxx, folder, *flags):
    must([cxx, "-std=c++20", "-Wall", "-Wextra", "-Werror", *flags, MINIMAL, "-o", folder / "minimal"], "the example with the package")
    demand("125 spikes" in must([folder / "minimal"], "the example"), "the example prints something else")


def headers(folder):
    return {path.relative_to(folder).as_posix() for path in Path(folder).rglob("*.hpp")}


ALL = headers(ROOT / "include")


def versions(_cxx, _arm, folder):
    """All say the version of config.hpp, and one that says another is noticed."""
    made = release()
    wrong = list(made.other_versions())
    demand(not wrong, f"config.hpp says {made.version_of()}, and {wrong}")
    for name in made.VERSIONS:
        for other in {*made.VERSIONS, "include/neuromorph/config.hpp"}:
            (folder / other).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / other, folder / other)
        text = (folder / name).read_text()
        found = re.search(made.VERSIONS[name], text, re.MULTILINE)
        (folder / name).write_text(text[:found.start(1)] + "9.9.9" + text[found.end(1):])
        demand(list(made.other_versions(folder)) == [(name, "9.9.9")], f"another version in {name} is not noticed")


def releases(cxx, arm, folder):
    """The same bytes twice, sums that hold, parts that compile alone, a library of Arduino that builds a sketch."""
    source = ROOT
    if not has_git():  # a tree that was unpacked
        source = tree(folder / "source")
        for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=x", "-c", "user.email=x@x", "commit", "-q", "-m", "x"]):
            must(["git", "-C", source, *words], "git")
    for at in ("a", "b"):
        must([sys.executable, "-B", source / "tools/release", "--dirty", "--output", folder / at], "a release", cwd="/")
    names = sorted(path.name for path in (folder / "a").iterdir())
    for name in names:
        demand((folder / "a" / name).read_bytes() == (folder / "b" / name).read_bytes(), f"{name} is another one the second time")
    for line in (folder / "a/SHA256SUMS").read_text().splitlines():
        sum_, name = line.split("  ")
        demand(hashlib.sha256((folder / "a" / name).read_bytes()).hexdigest() == sum_, f"the sum of {name} is wrong")
        names.remove(name)
    demand(names == ["SHA256SUMS"], f"{names} have no sum")
    compilers = [[cxx]] + ([[arm, "-mcpu=cortex-m4", "-mthumb"]] if arm else [])
    for part in sorted((folder / "a").glob("neuromorph*.hpp")):
        for compiler in compilers:
            must([*compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-include", part, "-x", "c++", "/dev/null"], f"{part.name} alone")
    version = release().version_of()
    with zipfile.ZipFile(folder / f"a/neuromorph-arduino-{version}.zip") as archive:
        archive.extractall(folder)
    library = folder / f"neuromorph-{version}"
    demand(headers(library / "src") == ALL, "the library of Arduino has not all headers")
    fields = dict(line.split("=", 1) for line in (library / "library.properties").read_text().splitlines() if line)
    needed = {"name", "version", "author", "maintainer", "sentence", "paragraph", "category", "url", "architectures", "includes"}
    demand(needed == set(fields) and "*" not in fields["architectures"] and "avr" not in fields["architectures"], f"library.properties has {set(fields) ^ needed}")
    demand((library / "src" / fields["includes"]).exists() and not list(library.glob("*.h*")), "Arduino finds no header by its name")
    (folder / "Arduino.h").write_text("#pragma once\n#include <cstdint>\nextern \"C\" unsigned long millis();\n"
                                      "struct SerialPort { void begin(long); void print(std::uint32_t); void println(const char*); };\nextern SerialPort Serial;\n")
    sketch = library / "examples/ring/ring.ino"
    for compiler in compilers:  # as arduino-builder: Arduino.h before it, the library's src as the only path
        must([*compiler, "-std=gnu++20", "-Os", "-Wall", "-Wextra", "-Werror", f"-I{folder}", f"-I{library / 'src'}", "-include", "Arduino.h", "-x", "c++", "-c", sketch,
              "-o", folder / "ring.o"], "the sketch")


def debian(cxx, _arm, folder):
    """dpkg-buildpackage, what is in the package, lintian without errors, and the example with it."""
    source = tree(folder / "neuromorph")
    must(["dpkg-buildpackage", "-us", "-uc", "-b", "-d"], "building the package", cwd=source)
    package, = folder.glob("*.deb")
    must(["dpkg-deb", "-x", package, folder / "root"], "unpacking it")
    usr = folder / "root/usr"
    demand(headers(usr / "include") == ALL, "the package has not all headers")
    for name in ("share/cmake/neuromorph/neuromorph-config.cmake", "share/cmake/neuromorph/arm-none-eabi.cmake", "share/pkgconfig/neuromorph.pc",
                 "share/doc/libneuromorph-dev/copyright", "share/doc/libneuromorph-dev/docs/images"):
        demand((usr / name).exists() or (usr / f"{name}.gz").exists(), f"the package has no {name}")
    found = run(["lintian", "--fail-on", "error", str(package)])
    demand(found.returncode == 0, f"lintian: {found.stdout}")
    runs(cxx, folder, "-isystem", usr / "include")


def meson(cxx, _arm, folder):
    """A subproject, whose user is built and run; and an installation."""
    source = tree(folder / "user/subprojects/neuromorph")
    (folder / "user/meson.build").write_text(
        "project('user', 'cpp', default_options: ['cpp_std=c++20', 'werror=true', 'warning_level=3'])\n"
        f"executable('minimal', '{MINIMAL}', dependencies: dependency('neuromorph', fallback: ['neuromorph', 'neuromorph_dep']))\n")
    environment = {**os.environ, "CXX": cxx, "PKG_CONFIG_PATH": "", "CMAKE_PREFIX_PATH": ""}
    must(["meson", "setup", folder / "build", folder / "user"], "meson", env=environment)
    must(["meson", "compile", "-C", folder / "build"], "meson", env=environment)
    demand("125 spikes" in must([folder / "build/minimal"], "the example"), "the example prints something else")
    must(["meson", "setup", folder / "own", source, "--prefix", folder / "prefix"], "meson", env=environment)
    must(["meson", "install", "-C", folder / "own"], "meson", env=environment)
    demand(headers(folder / "prefix/include") == ALL and list((folder / "prefix/share/pkgconfig").glob("*.pc")), "Meson does not install all headers, or no file for pkg-config")
    wrap = (ROOT / "packaging/meson/neuromorph.wrap").read_text()
    demand("neuromorph = neuromorph_dep" in wrap and "neuromorph_dep" in (ROOT / "meson.build").read_text(), "the wrap names another variable")


def cmake(cxx, _arm, folder):
    """cpack; nothing of ours in a parent's install unless it is asked for; nothing newer than CMake 3.16 in what a user's CMake reads."""
    must(["cmake", "-S", ROOT, "-B", folder / "build", f"-DCMAKE_CXX_COMPILER={cxx}", *OFF], "cmake")
    for generator, ending in (("TGZ", "tar.gz"), ("DEB", "deb")):
        must(["cpack", "-G", generator, "-B", folder], "cpack", cwd=folder / "build")
        demand(len(list(folder.glob(f"*.{ending}"))) == 1, f"cpack makes no {ending}")
    archive, = folder.glob("*.tar.gz")
    must(["tar", "xf", archive, "-C", folder], "unpacking")
    root, = (path for path in folder.iterdir() if path.is_dir() and path.name.startswith("neuromorph-"))
    demand(headers(root / "include") == ALL, "the archive has not all headers")
    demand((root / "share/doc/neuromorph/LICENSE").exists() and (root / "share/doc/neuromorph/docs/images").exists(), "the archive has no licence or no docs")
    for asked in (False, True):
        user = folder / f"user{asked}"
        user.mkdir()
        (user / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.16)\nproject(user LANGUAGES CXX)\n" + ("set(NEUROMORPH_INSTALL ON)\n" if asked else "") +
            f"add_subdirectory({ROOT} neuromorph)\nadd_executable(minimal {MINIMAL})\ntarget_link_libraries(minimal PRIVATE neuromorph::neuromorph)\n"
            "install(TARGETS minimal DESTINATION bin)\n")
        must(["cmake", "-S", user, "-B", user / "build", f"-DCMAKE_CXX_COMPILER={cxx}", "-DCMAKE_BUILD_TYPE=Release"], "a user's cmake")
        must(["cmake", "--build", user / "build"], "a user's build")
        must(["cmake", "--install", user / "build", "--prefix", user / "prefix"], "a user's install")
        found = headers(user / "prefix")
        demand((found != set()) == asked, f"a parent's install has {len(found)} headers of ours, and they were{' ' if asked else ' not '}asked for")
    newer = r"PROJECT_IS_TOP_LEVEL|CMAKE_CURRENT_FUNCTION_LIST|FILE_PERMISSIONS|cmake_path|cmake_language|\bblock\(|FILE_SET|ZIP_LISTS|COMMAND_ERROR_IS_FATAL|file\(CHMOD|PROPAGATE|file\(REAL_PATH|CONFIGURE\b.*CONTENT|DEFER"
    for name in ("CMakeLists.txt", "cmake/NeuromorphInstall.cmake", "cmake/neuromorph-config.cmake"):  # boards need 3.20
        found = re.search(newer, re.sub(r"#.*", "", (ROOT / name).read_text()))
        demand(not found, f"{name}: CMake 3.16 has no {found and found[0]}")


def conan(cxx, _arm, folder):
    """The recipe by a stand-in for Conan, and its test by an installed library."""
    def copy(_, pattern, source, target, **_more):
        for path in Path(source).glob(pattern if "/" in pattern or not pattern.startswith("*") else f"**/{pattern}"):
            for file in [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]:
                to = Path(target) / file.relative_to(source)
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, to)

    checked = []
    stand_ins = {"conan": {"ConanFile": type("ConanFile", (), {})},
                 "conan.tools": {}, "conan.tools.build": {"check_min_cppstd": lambda _, standard: checked.append(standard), "can_run": lambda _: True},
                 "conan.tools.files": {"copy": copy, "load": lambda _, path: Path(path).read_text()}, "conan.tools.layout": {"basic_layout": lambda _: None},
                 "conan.tools.cmake": {"CMake": object, "cmake_layout": lambda _: None}}
    for name, members in stand_ins.items():
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__dict__.update(members)
    recipe = runpy.run_path(str(ROOT / "packaging/conan/conanfile.py"))["NeuromorphConan"]()
    recipe.recipe_folder = str(ROOT / "packaging/conan")
    recipe.export_sources_folder = recipe.source_folder = str(folder / "source")
    recipe.package_folder = str(folder / "package")
    properties = {}
    recipe.info = types.SimpleNamespace(clear=lambda: properties.update(cleared=True))
    recipe.cpp_info = types.SimpleNamespace(set_property=lambda name, value: properties.update({name: value}))
    recipe.set_version()
    for step in ("export_sources", "layout", "validate", "package", "package_id", "package_info"):
        getattr(recipe, step)()
    demand(recipe.version == release().version_of() and checked == [20] and properties["cleared"], "the recipe has another version or no standard")
    demand(headers(folder / "package/include") == ALL and (folder / "package/licenses/LICENSE").exists(), "the package of Conan has not all headers, or no licence")
    demand(properties["cmake_target_name"] == "neuromorph::neuromorph", "the package of Conan has another target")
    runs(cxx, folder, f"-I{folder / 'package/include'}")
    test = runpy.run_path(str(ROOT / "packaging/conan/test_package/conanfile.py"))["TestPackage"]
    demand({"CMakeDeps", "CMakeToolchain"} <= set(test.generators), "the test of the recipe has no generators")
    must(["cmake", "-S", ROOT, "-B", folder / "own", f"-DCMAKE_CXX_COMPILER={cxx}", *OFF], "cmake")
    must(["cmake", "--install", folder / "own", "--prefix", folder / "prefix"], "install")
    must(["cmake", "-S", ROOT / "packaging/conan/test_package", "-B", folder / "test", f"-DCMAKE_CXX_COMPILER={cxx}", f"-DCMAKE_PREFIX_PATH={folder / 'prefix'}"], "the recipe's test")
    must(["cmake", "--build", folder / "test"], "the recipe's test")
    must([folder / "test/consumer"], "the recipe's test")


VCPKG = """
set(VERSION @VERSION@)
set(CURRENT_PACKAGES_DIR @FOLDER@/packages)
function(vcpkg_from_git)
  cmake_parse_arguments(PARSE_ARGV 0 given "" "OUT_SOURCE_PATH;URL;REF" "")
  if(NOT given_URL OR NOT given_REF STREQUAL "v@VERSION@")
    message(FATAL_ERROR "vcpkg_from_git: ${given_URL} ${given_REF}")
  endif()
  set(${given_OUT_SOURCE_PATH} @ROOT@ PARENT_SCOPE)
endfunction()
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(result)
    message(FATAL_ERROR "${output}")
  endif()
endfunction()
function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 given "" "SOURCE_PATH" "OPTIONS")
  run(${CMAKE_COMMAND} -S ${given_SOURCE_PATH} -B @FOLDER@/build ${given_OPTIONS} -DCMAKE_CXX_COMPILER=@CXX@ -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR})
endfunction()
function(vcpkg_cmake_install)
  run(${CMAKE_COMMAND} --build @FOLDER@/build)
  run(${CMAKE_COMMAND} --install @FOLDER@/build)
endfunction()
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 given "" "PACKAGE_NAME;CONFIG_PATH" "")
  if(NOT EXISTS ${CURRENT_PACKAGES_DIR}/${given_CONFIG_PATH}/${given_PACKAGE_NAME}-config.cmake)
    message(FATAL_ERROR "vcpkg_cmake_config_fixup: there is no ${given_CONFIG_PATH}")
  endif()
  file(RENAME ${CURRENT_PACKAGES_DIR}/${given_CONFIG_PATH} ${CURRENT_PACKAGES_DIR}/share/${given_PACKAGE_NAME})
endfunction()
function(vcpkg_fixup_pkgconfig)
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 given "" "" "FILE_LIST")
  file(COPY_FILE ${given_FILE_LIST} ${CURRENT_PACKAGES_DIR}/share/neuromorph/copyright)
endfunction()
include(@ROOT@/packaging/vcpkg/portfile.cmake)
"""


def vcpkg(cxx, _arm, folder):
    """The port by stand-ins for vcpkg's functions."""
    port = json.loads((ROOT / "packaging/vcpkg/vcpkg.json").read_text())
    demand(port["name"] == "neuromorph" and {one["name"] for one in port["dependencies"]} == {"vcpkg-cmake", "vcpkg-cmake-config"}, "vcpkg.json is of another port")
    text = VCPKG
    for name, value in (("VERSION", port["version"]), ("FOLDER", folder), ("ROOT", ROOT), ("CXX", cxx)):
        text = text.replace(f"@{name}@", str(value))
    (folder / "run.cmake").write_text(text)
    must(["cmake", "-P", folder / "run.cmake"], "the port")
    demand(headers(folder / "packages/include") == ALL and (folder / "packages/share/neuromorph/copyright").exists(), "the port installs not all headers, or no licence")
    runs(cxx, folder, f"-I{folder / 'packages/include'}")


def zephyr(cxx, _arm, folder):
    """A module by a stand-in for Zephyr's CMake."""
    import yaml
    module = yaml.safe_load((ROOT / "zephyr/module.yml").read_text())
    demand(module["name"] == "neuromorph" and (ROOT / module["build"]["cmake"] / "CMakeLists.txt").exists() and (ROOT / module["build"]["kconfig"]).exists(), "module.yml names files that are not there")
    demand(re.search(r"^config NEUROMORPH\n\tbool ", (ROOT / module["build"]["kconfig"]).read_text(), re.MULTILINE), "Kconfig has no option NEUROMORPH")
    for is_on in ("ON", "OFF"):
        user = folder / is_on
        user.mkdir()
        (user / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.20)\nproject(user LANGUAGES CXX)\nadd_library(zephyr_interface INTERFACE)\n"
            "function(zephyr_include_directories)\n  target_include_directories(zephyr_interface INTERFACE ${ARGN})\nendfunction()\n"
            f"set(CONFIG_NEUROMORPH {is_on})\nadd_subdirectory({ROOT / module['build']['cmake']} module)\n"
            f"add_executable(minimal {MINIMAL})\ntarget_compile_features(minimal PRIVATE cxx_std_20)\ntarget_link_libraries(minimal PRIVATE zephyr_interface)\n")
        must(["cmake", "-S", user, "-B", user / "build", f"-DCMAKE_CXX_COMPILER={cxx}"], "Zephyr's cmake")
        built = run(["cmake", "--build", str(user / "build")])
        demand((built.returncode == 0) == (is_on == "ON"), f"with CONFIG_NEUROMORPH={is_on}: {built.stdout[-800:]}")


def esp_idf(cxx, _arm, folder):
    """A component by a stand-in for ESP-IDF's CMake."""
    import yaml
    manifest = yaml.safe_load((ROOT / "idf_component.yml").read_text())
    demand({"version", "description", "url", "license", "dependencies"} <= set(manifest) and manifest["dependencies"]["idf"] == ">=5.1", "idf_component.yml lacks a field")
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(user LANGUAGES CXX)\nset(ESP_PLATFORM 1)\n"
        "macro(idf_component_register)\n  cmake_parse_arguments(given \"\" \"\" \"SRCS;INCLUDE_DIRS\" ${ARGN})\n  set(COMPONENT_LIB __idf_neuromorph)\n"
        "  add_library(${COMPONENT_LIB} INTERFACE)\n  foreach(one ${given_INCLUDE_DIRS})\n    target_include_directories(${COMPONENT_LIB} INTERFACE ${CMAKE_CURRENT_LIST_DIR}/${one})\n"
        "  endforeach()\nendmacro()\n"
        f"add_subdirectory({ROOT} component)\nadd_executable(minimal {MINIMAL})\ntarget_link_libraries(minimal PRIVATE __idf_neuromorph)\n")
    must(["cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_CXX_COMPILER={cxx}"], "ESP-IDF's cmake")
    must(["cmake", "--build", folder / "build"], "ESP-IDF's build")
    must([folder / "build/minimal"], "the example")


def platformio(cxx, _arm, folder):
    """library.json, and a build with its paths and flags alone."""
    library = json.loads((ROOT / "library.json").read_text())
    demand({"name", "version", "description", "keywords", "repository", "license", "headers", "frameworks", "platforms", "build"} <= set(library), "library.json lacks a field")
    demand(len(library["description"]) <= 255 and re.fullmatch(r"[\w.-]+", library["name"]) and library["license"] == "BSL-1.0", "library.json has a field that is refused")
    include = ROOT / library["build"]["includeDir"]
    for header in library["headers"]:
        demand((include / header).exists(), f"library.json names {header}")
    for example in library["examples"]:
        for file in example["files"]:
            must([cxx, *library["build"]["flags"], f"-I{include}", ROOT / example["base"] / file, "-o", folder / "example"], "an example")
            must([folder / "example"], "an example")
    for one in library["export"]["include"]:
        demand((ROOT / one).exists(), f"library.json exports {one}, which is not there")


def forms(_cxx, _arm, _folder):
    """The citation, forms of issues, and the workflow, whose commands are those of the tree."""
    import yaml
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    demand({"cff-version", "message", "title", "authors", "version", "license"} <= set(citation) and citation["cff-version"] == "1.2.0", "CITATION.cff lacks a field")
    for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"):
        form = yaml.safe_load(path.read_text())
        if path.name == "config.yml":
            continue
        demand({"name", "description", "body"} <= set(form) and form["body"], f"{path.name} lacks a field")
        for part in form["body"]:
            demand(part["type"] in ("textarea", "input", "dropdown", "checkboxes", "markdown") and part["attributes"]["label"], f"{path.name}: a part without a label")
    workflow = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text())
    ran = [step["run"].split()[0] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    own = [word for word in ran if "/" in word]
    demand(set(own) == {"tests/run", "examples/run"} and all(os.access(ROOT / word, os.X_OK) for word in own), f"the workflow runs {own}")
    for text in (ROOT / "packaging/compiler-explorer/libraries.yaml").read_text(), (ROOT / "packaging/compiler-explorer/c++.amazon.properties").read_text():
        demand("neuromorph" in text and "0.1.0" in text, "a file for Compiler Explorer is of something else")
    yaml.safe_load((ROOT / "packaging/compiler-explorer/libraries.yaml").read_text())


def explorer(cxx, arm, folder):
    """The links of the docs hold the programs of the tree, which compile alone with the single header, by GCC 11 where it is there."""
    must([sys.executable, "-B", ROOT / "tools/compiler_explorer.py", "--check"], "links for Compiler Explorer")
    made = tool("compiler_explorer.py")
    must([sys.executable, "-B", ROOT / "tools/single_header.py", "--output", folder / "neuromorph.hpp"], "the single header")
    found = re.findall(r"\(https://godbolt\.org/clientstate/[^)]*\)", (ROOT / "docs/packages.md").read_text())
    demand(len(found) == len(made.PROGRAMS), f"{len(found)} links of {len(made.PROGRAMS)}")
    old = shutil.which("g++-11")
    for one in found:
        text, compilers = made.state_of(one.strip("()"))
        demand(made.ADDRESS in text and "<neuromorph/" not in text, "a program has its own copy of the library")
        (folder / "program.cpp").write_text(text.replace(f"<{made.ADDRESS}>", '"neuromorph.hpp"'))
        for name, flags in compilers:
            compiler = (old or cxx) if name.startswith("g") else arm
            if compiler:
                must([compiler, *flags.split(), "-Wall", "-Wextra", "-Werror", "-c", folder / "program.cpp", "-o", folder / "program.o"], "a program of a link")


WAYS = {"explorer": explorer, "versions": versions, "release": releases, "debian": debian, "meson": meson, "cmake": cmake, "conan": conan, "vcpkg": vcpkg, "zephyr": zephyr, "esp_idf": esp_idf,
        "platformio": platformio, "forms": forms}


def check(way, cxx, arm=""):
    with tempfile.TemporaryDirectory() as folder:
        WAYS[way](cxx, arm, Path(folder))
    return []


if __name__ == "__main__":
    main(check, *sys.argv[1:])
