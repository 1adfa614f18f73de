# The schema as text, so that the test runs anywhere.
hed_embed(files tune_file ${CMAKE_SOURCE_DIR}/tunefile/tune_file.schema.json)
target_sources(${test_target} PRIVATE ${files})
