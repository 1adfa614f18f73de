target_include_directories(${test_target} PRIVATE ${CMAKE_SOURCE_DIR}/engines/cloth ${CMAKE_SOURCE_DIR}/engines/cloth/kernels)
