# What answers are made of, relative to this folder; web/CMakeLists.txt includes it.
set(FATHOM_WEB_API_SOURCES
  src/api/answer.cc src/api/children_answer.cc src/api/duplicates_json.cc src/api/entry_json.cc src/api/json_text.cc
  src/api/name_test.cc src/api/owners.cc src/api/parameters.cc src/api/picture.cc src/api/places.cc
  src/api/report_answer.cc src/api/search_answer.cc src/api/status.cc src/api/tree_answer.cc src/api/treemap.cc src/api/weights.cc)
set(FATHOM_WEB_API_TESTS
  test/api_children_test.cc test/api_duplicates_test.cc test/api_parameters_test.cc test/api_picture_test.cc
  test/api_report_test.cc test/api_search_test.cc test/api_status_test.cc test/api_tree_test.cc)
