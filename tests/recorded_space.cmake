# Writes a gzipped file itself.
target_link_libraries(${test_target} PRIVATE heddle::zlib)
