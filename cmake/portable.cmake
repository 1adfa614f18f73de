# The target `portable`: the installed tree, stripped, with the tests and the licences of what is linked in, as a folder
# and as a tarball. It runs on any Linux with a glibc at least as new as the one it was built on.
set(name heddle-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})

foreach(package libsqlite3-dev libjansson-dev libpng-dev zlib1g-dev libsqlite3-0 libjansson4 libmetis5 libyaml-dev libyaml-0-2)
  install(FILES /usr/share/doc/${package}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR}/licences RENAME ${package} OPTIONAL)
endforeach()

foreach(library sqlite3.so.0 jansson.so.4 png16.so.16 z.so.1 metis.so.5 yaml-0.so.2)
  string(REGEX REPLACE "[.].*" "" name_of ${library})
  string(REGEX REPLACE "^png16$" "png" name_of ${name_of})
  string(REGEX REPLACE "^z$" "zlib" name_of ${name_of})
  string(REGEX REPLACE "^yaml-0$" "yaml" name_of ${name_of})
  if(NOT HEDDLE_${name_of}_LIBRARY)
    continue() # METIS, where it is not
  endif()
  file(REAL_PATH ${HEDDLE_${name_of}_LIBRARY} real)
  install(FILES ${real} DESTINATION ${CMAKE_INSTALL_LIBDIR} RENAME lib${library})
endforeach()

# What tests read: they are run in this folder as ctest runs them in the source's.
set(files ${CMAKE_INSTALL_DATADIR}/heddle/tests)
install(DIRECTORY data DESTINATION ${files})
install(DIRECTORY tests/golden tests/t1 DESTINATION ${files}/tests)
install(DIRECTORY examples/tune DESTINATION ${files}/examples)
install(DIRECTORY docs DESTINATION ${files} FILES_MATCHING PATTERN "*.md" PATTERN images EXCLUDE)

add_custom_target(portable
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${name} ${name}.tar.gz
  COMMAND ${CMAKE_COMMAND} --install . --strip --prefix ${CMAKE_BINARY_DIR}/${name}
  COMMAND ${CMAKE_COMMAND} -E tar czf ${name}.tar.gz ${name}
  COMMAND ${CMAKE_COMMAND} -E echo "portable: ${CMAKE_BINARY_DIR}/${name}.tar.gz"
  WORKING_DIRECTORY ${CMAKE_BINARY_DIR} VERBATIM)
add_dependencies(portable ${libraries} heddle-worker)
foreach(target heddle-tests heddle-cli heddle-cli-docs heddle-vulkan-record plugins heddle-python)
  if(TARGET ${target})
    add_dependencies(portable ${target})
  endif()
endforeach()

# What the tarball needs of the system it runs on, and whether it works where there is nothing else.
enable_testing()
add_test(NAME portable_needs COMMAND sh ${CMAKE_SOURCE_DIR}/tests/portable/needs.sh ${CMAKE_BINARY_DIR}/${name}.tar.gz ${CMAKE_SOURCE_DIR}/README.md)
add_test(NAME portable_bare COMMAND sh ${CMAKE_SOURCE_DIR}/tests/portable/bare.sh ${CMAKE_BINARY_DIR}/${name}.tar.gz)
add_test(NAME portable_first_lines COMMAND sh ${CMAKE_SOURCE_DIR}/tests/portable/first_lines.sh ${CMAKE_BINARY_DIR}/${name}.tar.gz)
set_tests_properties(portable_first_lines PROPERTIES LABELS full SKIP_RETURN_CODE 77 TIMEOUT 3600)
if(TARGET heddle-python)
  add_test(NAME portable_wheel COMMAND sh ${CMAKE_SOURCE_DIR}/python/tests/portable.sh ${HEDDLE_PYTHON} ${CMAKE_BINARY_DIR}/${name})
  set_tests_properties(portable_wheel PROPERTIES LABELS full TIMEOUT 900)
endif()
set_tests_properties(portable_needs portable_bare PROPERTIES LABELS full SKIP_RETURN_CODE 77 TIMEOUT 900)
