# Heddle for vcpkg, as an overlay: vcpkg install heddle --overlay-ports=packaging/vcpkg. The source is the checkout that this
# file lies in. Meshes that only assimp reads and METIS are left out, as in the portable build.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
vcpkg_check_linkage(ONLY_DYNAMIC_LIBRARY)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DHEDDLE_TESTS=OFF
    -DHEDDLE_EXAMPLES=OFF
    -DHEDDLE_NVRTC=OFF
    -DHEDDLE_PYTHON=OFF
    -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON
    -DHEDDLE_assimp_LIBRARY=OFF
    -DHEDDLE_metis_LIBRARY=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/heddle)
vcpkg_fixup_pkgconfig()
vcpkg_copy_tools(TOOL_NAMES heddle AUTO_CLEAN)

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
