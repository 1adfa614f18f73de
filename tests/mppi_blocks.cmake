target_link_libraries(heddle-tests PRIVATE heddle-mppi-internal)
