target_link_libraries(heddle-tests PRIVATE heddle-mppi-internal)
target_include_directories(${test_target} PRIVATE ${CMAKE_SOURCE_DIR}/engines/mppi)
