# The insides of the solver: the size of the head of a saved state.
target_include_directories(${test_target} PRIVATE ${CMAKE_SOURCE_DIR}/engines/cloth ${CMAKE_SOURCE_DIR}/engines/cloth/kernels)
