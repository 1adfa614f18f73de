# gcc 12.2 for 64-bit Arm ends with an internal error on some loops: the script compiles their sources without vectors.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64" AND CMAKE_C_COMPILER_ID STREQUAL "GNU" AND
   CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 12 AND CMAKE_C_COMPILER_VERSION VERSION_LESS 12.3)
  list(PREPEND CMAKE_C_COMPILER_LAUNCHER ${PROJECT_SOURCE_DIR}/cmake/gcc_12_aarch64.sh)
endif()
