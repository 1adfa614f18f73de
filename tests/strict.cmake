# The kernels as text, so that the test runs anywhere.
hed_embed(files strict ${CMAKE_CURRENT_SOURCE_DIR}/strict_kernels/strict.cl)
target_sources(${test_target} PRIVATE ${files})
