# libbacktrace finds the functions and lines of a stack. It comes with GCC, in GCC's own directory. GCC and Clang search
# that directory for libraries, but only GCC searches it for headers. Without libbacktrace, stacks are printed as
# addresses.

set(which "-print-libgcc-file-name")
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  list(PREPEND which "--rtlib=libgcc")
endif()
execute_process(COMMAND "${CMAKE_CXX_COMPILER}" ${which}
  OUTPUT_VARIABLE libgcc OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
get_filename_component(gcc_folder "${libgcc}" DIRECTORY)
find_path(BACKTRACE_INCLUDE_DIR backtrace.h HINTS "${gcc_folder}/include")
find_library(BACKTRACE_LIBRARY NAMES libbacktrace.a backtrace HINTS "${gcc_folder}")
mark_as_advanced(BACKTRACE_INCLUDE_DIR BACKTRACE_LIBRARY)

if(BACKTRACE_INCLUDE_DIR AND BACKTRACE_LIBRARY)
  # That directory also contains headers that only GCC understands, such as immintrin.h: search it last.
  set_source_files_properties(src/symbols.cc PROPERTIES
    COMPILE_DEFINITIONS FATHOM_HAS_LIBBACKTRACE
    COMPILE_OPTIONS "-idirafter;${BACKTRACE_INCLUDE_DIR}")
  # By name, which is also valid after installation.
  target_link_libraries(fathom_base PRIVATE backtrace)
else()
  message(STATUS "base: libbacktrace is not installed, so stacks are printed as addresses")
endif()
target_link_libraries(fathom_base PRIVATE ${CMAKE_DL_LIBS})
