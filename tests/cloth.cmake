# The solver's insides: what a state consists of, and a position that a test breaks on the device.
target_include_directories(${test_target} PRIVATE ${CMAKE_SOURCE_DIR}/engines/cloth ${CMAKE_SOURCE_DIR}/engines/cloth/kernels)
