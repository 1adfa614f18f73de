# Flags that hold for every target: language level, visibility, warnings, and what the presets switch on.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()
# PIE and -pie for executables, not only -fPIE.
include(CheckPIESupported)
check_pie_supported()

# No contraction and no errno: the host's own kernels keep the bits that strict mode promises.
add_compile_options(-Wall -Wextra -Wno-unused-parameter -Wshadow -ffp-contract=off -fno-math-errno
                    "$<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes;-Wmissing-prototypes>")
add_compile_definitions(_GNU_SOURCE)
if(HEDDLE_WERROR)
  add_compile_options(-Werror)
endif()

# Paths in messages and debug data are relative to the source: builds are the same wherever they are made.
if(HEDDLE_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
else()
  add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}/= -ffile-prefix-map=${CMAKE_BINARY_DIR}/=)
endif()

# A library that forgets what it needs fails here, not in its user's build. (Sanitizers leave symbols to the program.)
if(NOT HEDDLE_SANITIZE)
  add_link_options("$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY>:-Wl,--no-undefined>")
endif()

# A sanitizer's report needs functions and lines; where variables are kept takes gcc two thirds of its time on the native kernels.
if(HEDDLE_SANITIZE)
  add_compile_options(-fsanitize=${HEDDLE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${HEDDLE_SANITIZE})
endif()
if(HEDDLE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Programs find our libraries beside themselves, in the build folder and wherever they are installed.
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}" "$ORIGIN")
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
