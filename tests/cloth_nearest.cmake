# The search is within the library.
target_include_directories(${test_target} PRIVATE ${CMAKE_SOURCE_DIR}/engines/cloth)
