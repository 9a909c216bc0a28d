# Programs that crash, and what they print: with debug information; like a release, without debug information; and
# stripped. Not under sanitizers, which have their own signal handlers: report_crashes() does nothing there.

function(crashing name)
  add_executable(${name} crash/crashing.cc)
  target_link_libraries(${name} PRIVATE fathom_flags fathom::base)
  target_compile_options(${name} PRIVATE ${ARGN})
endfunction()
# One function calls itself without end on purpose.
set_source_files_properties(crash/crashing.cc PROPERTIES COMPILE_OPTIONS -Wno-infinite-recursion)
crashing(crashing -O1 -g1)
crashing(crashing_release -O2 -g0 -fomit-frame-pointer)
crashing(crashing_stripped -O2 -g0 -fomit-frame-pointer)
target_link_options(crashing_stripped PRIVATE -s)

# Defines its own malloc(), which crashes with its lock held.
add_executable(crashing_malloc crash/crashing_malloc.cc)
target_link_libraries(crashing_malloc PRIVATE fathom_flags fathom::base)
target_compile_options(crashing_malloc PRIVATE -O1 -g1)

fathom_test(test_base_crash
  SOURCES crash_report_test.cc last_words_test.cc
  USES fathom::base fathom::testing
  LABELS no-sanitizer)
foreach(program crashing crashing_release crashing_stripped crashing_malloc)
  string(TOUPPER ${program} macro)
  target_compile_definitions(test_base_crash PRIVATE "${macro}=\"$<TARGET_FILE:${program}>\"")
  add_dependencies(test_base_crash ${program})
endforeach()
