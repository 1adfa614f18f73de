"""Heddle for Conan 2: `conan create packaging/conan`. What Heddle stands on comes from the system's package manager, as in every
other build of it; `-c tools.system.package_manager:mode=install` lets Conan install it, else it says what is missing."""
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.system.package_manager import Apt, Dnf

ENGINES = ("canonical", "cloth", "css", "mppi", "synth")


class Heddle(ConanFile):
    name = "heddle"
    description = "Describe a kernel once, run it on every device"
    license = "MIT"
    topics = ("gpu", "cuda", "opencl", "auto-tuning", "cloth", "synthesis", "mppi", "css")
    package_type = "shared-library"
    settings = "os", "compiler", "build_type", "arch"

    @property
    def _top(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        lists = load(self, os.path.join(self._top, "CMakeLists.txt"))
        self.version = self.version or re.search(r"project\(heddle VERSION ([0-9.]+)", lists)[1]

    def export_sources(self):
        for part in ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "benchmarks/*", "cli/*", "cmake/*", "data/*", "engines/*",
                     "examples/web/*", "include/*", "src/*", "support/*", "tunefile/*", "web/*", "worker/*"):
            copy(self, part, self._top, self.export_sources_folder)

    def validate(self):
        if self.settings.os != "Linux":
            from conan.errors import ConanInvalidConfiguration
            raise ConanInvalidConfiguration(f"Heddle runs on Linux; this profile is for {self.settings.os}")

    def configure(self):
        self.settings.rm_safe("compiler.cppstd")
        self.settings.rm_safe("compiler.libcxx")

    def layout(self):
        cmake_layout(self)

    def system_requirements(self):
        Apt(self).install(["libjansson-dev", "libsqlite3-dev", "zlib1g-dev", "libpng-dev", "libyaml-dev"], check=True)
        Dnf(self).install(["jansson-devel", "sqlite-devel", "zlib-devel", "libpng-devel", "libyaml-devel"], check=True)

    def generate(self):
        toolchain = CMakeToolchain(self)
        # Conan makes libexec and bin one, where the folder of the worker and the command have the same name.
        toolchain.cache_variables.update({"HEDDLE_TESTS": False, "HEDDLE_EXAMPLES": False, "HEDDLE_WORKER_DIR": "libexec/heddle",
                                           "HEDDLE_PYTHON": "OFF", "CMAKE_DISABLE_FIND_PACKAGE_MPI": "ON"})
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        # find_package(heddle) finds the files that Heddle installs itself; components are for other generators.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.components["heddle"].builddirs = [os.path.join("lib", "cmake", "heddle")]
        self.cpp_info.components["heddle"].libs = ["heddle"]
        self.cpp_info.components["heddle"].set_property("pkg_config_name", "heddle")
        for engine in ENGINES + ("tunefile",):
            part = self.cpp_info.components[engine]
            part.libs = [f"heddle-{engine}"]
            part.requires = ["heddle"]
            part.set_property("pkg_config_name", f"heddle-{engine}")
        live = self.cpp_info.components["synth-live"]
        live.libs, live.requires = ["heddle-synth-live"], ["synth"]
        live.set_property("pkg_config_name", "heddle-synth-live")
