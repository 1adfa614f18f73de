# Candidates run in the worker program.
add_dependencies(${test_target} heddle-worker)
