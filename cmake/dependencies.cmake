# Third-party libraries, as targets: Threads::Threads, heddle::sqlite3, heddle::jansson, heddle::png, heddle::yaml. OpenCL, CUDA and
# NVRTC are not among them: those are loaded at run time.
#
# With HEDDLE_PORTABLE the static archives are taken where the distribution has them, so that the result runs without.
if(HEDDLE_PORTABLE)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
  # A distribution's libpng has no run path by which the loader would find the libz beside it: what needs libpng names both.
  add_link_options(-Wl,--no-as-needed)
endif()
find_package(Threads REQUIRED)

# hed_find_library(jansson HEADER jansson.h LIBRARY jansson NEEDS m PACKAGE libjansson-dev)
function(hed_find_library name)
  cmake_parse_arguments(arg "" "HEADER;PACKAGE" "LIBRARY;NEEDS" ${ARGN})
  if(TARGET heddle::${name})
    return()
  endif()
  find_path(HEDDLE_${name}_INCLUDE ${arg_HEADER})
  find_library(HEDDLE_${name}_LIBRARY NAMES ${arg_LIBRARY})
  mark_as_advanced(HEDDLE_${name}_INCLUDE HEDDLE_${name}_LIBRARY)
  if(NOT HEDDLE_${name}_INCLUDE OR NOT HEDDLE_${name}_LIBRARY)
    message(FATAL_ERROR "${name} is not here (${arg_HEADER} and its library). On Debian: apt install ${arg_PACKAGE}, or ./dev setup")
  endif()
  add_library(heddle::${name} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(heddle::${name} PROPERTIES IMPORTED_LOCATION ${HEDDLE_${name}_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${HEDDLE_${name}_INCLUDE})
  target_link_libraries(heddle::${name} INTERFACE ${arg_NEEDS})
endfunction()

# Shared libraries of ours need these, and Debian's archives of them are no position-independent code: shared ones are preferred,
# also where everything else is static, and travel along. vcpkg's and Conan's archives are position-independent, and all there is.
set(suffixes ${CMAKE_FIND_LIBRARY_SUFFIXES})
set(CMAKE_FIND_LIBRARY_SUFFIXES .so .a)
hed_find_library(sqlite3 HEADER sqlite3.h LIBRARY sqlite3 PACKAGE libsqlite3-dev)
hed_find_library(jansson HEADER jansson.h LIBRARY jansson PACKAGE libjansson-dev)
hed_find_library(zlib HEADER zlib.h LIBRARY z PACKAGE zlib1g-dev)
hed_find_library(png HEADER png.h LIBRARY png16 png NEEDS heddle::zlib m PACKAGE libpng-dev)
hed_find_library(yaml HEADER yaml.h LIBRARY yaml PACKAGE libyaml-dev)
set(CMAKE_FIND_LIBRARY_SUFFIXES ${suffixes})
