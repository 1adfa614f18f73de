# Sources whose vectorized loops end gcc 12.2 for 64-bit Arm with an internal error (in vect_transform_reduction, some at -O3
# and some at -O2 too): compiled without, by that compiler alone.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64" AND CMAKE_C_COMPILER_ID STREQUAL "GNU" AND
   CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 12 AND CMAKE_C_COMPILER_VERSION VERSION_LESS 12.3)
  set(files src/measure/race.c engines/cloth/files/scene_body.c engines/cloth/solver/state.c engines/cloth/solver/cloth_tune.c engines/cloth/solver/cloth_choice.c
      engines/synth/solver/synth_tune.c cli/synth/spectrogram.c)
  list(TRANSFORM files PREPEND ${PROJECT_SOURCE_DIR}/)
  set_source_files_properties(${files} TARGET_DIRECTORY heddle heddle-cloth heddle-synth heddle-command
                              PROPERTIES COMPILE_OPTIONS -fno-tree-vectorize)
endif()
