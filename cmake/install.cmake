# What `cmake --install` puts where: headers, libheddle and one library for each engine, the command with its man page
# and completions, pkg-config and CMake config files. Every path is relative to the prefix, so the tree can be moved.
include(CMakePackageConfigHelpers)

set(libraries heddle heddle-tunefile)
foreach(engine IN LISTS HEDDLE_ENGINES)
  list(APPEND libraries heddle-${engine})
endforeach()
list(APPEND libraries heddle-web)
install(TARGETS ${libraries} EXPORT heddle-targets
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/heddle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)

# PTX of the default configurations, for machines with a CUDA driver and no NVRTC. The library looks for it in
# share/heddle/ptx beside its own lib folder; the build puts it here where NVRTC was found.
install(DIRECTORY ${CMAKE_BINARY_DIR}/ptx/ DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle/ptx OPTIONAL FILES_MATCHING PATTERN "*.hedk")

# The tuning database that comes with Heddle, found the same way; there is none while data/tuning is empty.
install(FILES ${CMAKE_BINARY_DIR}/share/heddle/tuning.db DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle OPTIONAL)

install(FILES tunefile/tune_file.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle)

# Files to begin with, which commands find by their names (cli/common/data.c): heddle cloth run flag. The build folder has links to
# them where the installed command has copies.
function(hed_data_folder name)
  cmake_parse_arguments(arg "" "" "FILES" ${ARGN})
  install(FILES ${arg_FILES} DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle/${name})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/heddle/${name})
  foreach(file IN LISTS arg_FILES)
    get_filename_component(base ${file} NAME)
    file(CREATE_LINK ${file} ${CMAKE_BINARY_DIR}/share/heddle/${name}/${base} SYMBOLIC)
  endforeach()
endfunction()
foreach(folder scenes instruments music music/phrases mppi mppi/nav2 mppi/mujoco site)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/data/${folder}/*.*)
  list(FILTER files EXCLUDE REGEX "\\.py$")
  hed_data_folder(${folder} FILES ${files})
endforeach()
file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/tune/*)
hed_data_folder(tune FILES ${files} ${PROJECT_SOURCE_DIR}/examples/web/blur.wgsl)
# A page that is tuned, and the race that it begins with.
file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/web/*)
hed_data_folder(web FILES ${files})
file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.c)
hed_data_folder(examples FILES ${files} ${PROJECT_SOURCE_DIR}/examples/focus.h ${PROJECT_SOURCE_DIR}/examples/scene.h)
hed_data_folder(. FILES ${PROJECT_SOURCE_DIR}/data/README.md)

# Heddle in WebAssembly, with which `heddle synth view` plays; there is none until ./dev wasm has built it.
file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/build/wasm/package/*)
if(files)
  hed_data_folder(wasm FILES ${files})
endif()

# The package for Node.js, which npm installs from its folder.
file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/node/*.*)
install(FILES ${files} DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle/node)

# The words of models for MPPI, with which a program compiles their texts in C.
install(FILES engines/mppi/kernels/words.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heddle RENAME mppi_words.h)

# ---- CMake config files ----

set(config ${CMAKE_INSTALL_LIBDIR}/cmake/heddle)
install(EXPORT heddle-targets NAMESPACE heddle:: DESTINATION ${config})
configure_package_config_file(cmake/heddle-config.cmake.in ${CMAKE_BINARY_DIR}/heddle-config.cmake INSTALL_DESTINATION ${config})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/heddle-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/heddle-config.cmake ${CMAKE_BINARY_DIR}/heddle-config-version.cmake DESTINATION ${config})

# ---- pkg-config ----

file(RELATIVE_PATH HEDDLE_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
function(hed_install_pc name description requires)
  set(PC_NAME ${name})
  set(PC_DESCRIPTION ${description})
  set(PC_REQUIRES ${requires})
  set(PC_RPATH "")
  if(HEDDLE_PORTABLE)
    set(PC_RPATH "-Wl,-rpath,\${libdir} ") # the folder is none that the system's linker searches
  endif()
  configure_file(cmake/heddle.pc.in ${CMAKE_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
hed_install_pc(heddle "${PROJECT_DESCRIPTION}" "")
hed_install_pc(heddle-tunefile "Heddle's tune files and reports" "heddle = ${PROJECT_VERSION}")
foreach(engine IN LISTS HEDDLE_ENGINES)
  hed_install_pc(heddle-${engine} "Heddle's ${engine} engine" "heddle = ${PROJECT_VERSION}")
endforeach()
hed_install_pc(heddle-web "Heddle's tuning in a browser" "heddle = ${PROJECT_VERSION}")
hed_install_pc(heddle-synth-live "Heddle's synth, live" "heddle-synth = ${PROJECT_VERSION}")

# ---- the command, with what it generates about itself ----

if(TARGET heddle-cli)
  install(TARGETS heddle-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# A project that takes Heddle in has an uninstall of its own.
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DMANIFEST=${CMAKE_BINARY_DIR}/install_manifest.txt
                              -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)
endif()

if(HEDDLE_PORTABLE)
  include(portable)
endif()
