# The command itself, as a user runs it.
if(TARGET heddle-cli AND NOT HEDDLE_PORTABLE)
  hed_add_test(NAME command COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/cli/run.sh $<TARGET_FILE:heddle-cli>)
  hed_add_test(NAME command_tune TIMEOUT 300 COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/cli/tune.sh $<TARGET_FILE:heddle-cli>)
  hed_add_test(NAME command_db COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/cli/db.sh $<TARGET_FILE:heddle-cli>)
  foreach(device IN LISTS HEDDLE_TEST_DEVICES)
    if(TARGET blur AND NOT device STREQUAL host)
      string(REPLACE ":" "_" word ${device})
      hed_add_test(NAME command_tune_device.${word} DEVICE ${device} LABELS full TIMEOUT 600 COMMAND $<TARGET_FILE:on_device>
                   /bin/sh ${CMAKE_CURRENT_SOURCE_DIR}/cli/tune_device.sh $<TARGET_FILE:heddle-cli> $<TARGET_FILE_DIR:blur>)
    endif()
  endforeach()
  hed_add_test(NAME command_bench LABELS full COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/cli/bench.sh $<TARGET_FILE:heddle-cli>)
endif()
