# The command itself, as a user runs it.
if(TARGET heddle-cli AND NOT HEDDLE_PORTABLE)
  hed_add_test(NAME command COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/cli/run.sh $<TARGET_FILE:heddle-cli>)
  hed_add_test(NAME command_tune TIMEOUT 300 COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/cli/tune.sh $<TARGET_FILE:heddle-cli>)
  hed_add_test(NAME command_db COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/cli/db.sh $<TARGET_FILE:heddle-cli>)
  hed_add_test(NAME command_bench LABELS full COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/cli/bench.sh $<TARGET_FILE:heddle-cli>)
endif()
