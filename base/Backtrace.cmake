# libbacktrace, which names the functions and lines of a stack. It comes with GCC and stands in GCC's own folder, where
# GCC and Clang look for libraries; for its header only GCC does. Without it stacks are printed as addresses.

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
  # That folder also has headers for GCC alone, such as immintrin.h: it goes last.
  set_source_files_properties(src/symbols.cc PROPERTIES
    COMPILE_DEFINITIONS FATHOM_HAS_LIBBACKTRACE
    COMPILE_OPTIONS "-idirafter;${BACKTRACE_INCLUDE_DIR}")
  # By its name, which also holds where the package is installed.
  target_link_libraries(fathom_base PRIVATE backtrace)
else()
  message(STATUS "base: libbacktrace is not installed, so stacks are printed as addresses")
endif()
target_link_libraries(fathom_base PRIVATE ${CMAKE_DL_LIBS})
