# What the library of every engine, and that of tune files, has in common, so that an engine's own CMakeLists.txt is one add_library().

# A folder that brings its own CMakeLists.txt; left out where it does not.
macro(hed_add_part folder)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
    add_subdirectory(${folder})
  endif()
endmacro()

# hed_finish_engine(canonical): gives heddle-canonical its soname and alias, and its static twin heddle-canonical-internal,
# which stands on heddle-internal as the tests do: a test that linked both libheddle.so and heddle-internal would hold
# two copies of the library.
function(hed_finish_engine name)
  set(target heddle-${name})
  set(twin ${target}-internal)
  add_library(heddle::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${HEDDLE_SOVERSION} EXPORT_NAME ${name})
  if(TARGET ${twin})
    return()
  endif()
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(sources ${target} SOURCES)
  get_target_property(libraries ${target} LINK_LIBRARIES)
  list(FILTER libraries EXCLUDE REGEX "^(heddle|heddle::heddle)$")
  set(absolute "")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder})
    list(APPEND absolute ${source})
  endforeach()
  add_library(${twin} STATIC EXCLUDE_FROM_ALL ${absolute})
  add_dependencies(${twin} heddle-embedded) # not the library itself: sanitizers and fuzzers need the twin alone
  target_compile_options(${twin} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_OPTIONS> -UNDEBUG)
  target_compile_definitions(${twin} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  target_include_directories(${twin} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  target_link_libraries(${twin} PUBLIC heddle-internal ${libraries})
endfunction()
