target_sources(${test_target} PRIVATE ${CMAKE_SOURCE_DIR}/cli/synth/instruments.c)
target_include_directories(${test_target} PRIVATE ${CMAKE_SOURCE_DIR}/engines/synth ${CMAKE_SOURCE_DIR}/engines/synth/kernels)
