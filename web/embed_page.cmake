# Runs UI/build into FOLDER, and writes what it made as the C++ file SOURCE. Makes STAMP, if there is a page.
#
#   cmake -DUI=web/ui -DFOLDER=build/page -DSOURCE=build/page_files.cc -DSTAMP=build/page.stamp -P embed_page.cmake

# The path that a browser asks for, the type, and the file.
set(files
  "/|text/html\; charset=utf-8|index.html"
  "/page.js|text/javascript\; charset=utf-8|page.js"
  "/page.css|text/css\; charset=utf-8|page.css"
  "/icon.svg|image/svg+xml|icon.svg")

execute_process(COMMAND "${UI}/build" "${FOLDER}" RESULT_VARIABLE result)
set(arrays "")
set(table "")
if(result EQUAL 0)
  set(number 0)
  foreach(file IN LISTS files)
    string(REGEX MATCH "^([^|]*)\\|([^|]*)\\|([^|]*)$" whole "${file}")
    set(path "${CMAKE_MATCH_1}")
    set(type "${CMAKE_MATCH_2}")
    file(READ "${FOLDER}/${CMAKE_MATCH_3}.gz" bytes HEX)
    string(LENGTH "${bytes}" digits)
    math(EXPR size "${digits} / 2")
    string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
    # One long line would be more than some compilers take.
    string(REGEX REPLACE "(................................................................................)" "\\1\"\n    \"" bytes "${bytes}")
    string(APPEND arrays "constexpr char kFile${number}[] =\n    \"${bytes}\";\n")
    string(APPEND table "    {\"${path}\", \"${type}\", {kFile${number}, ${size}}},\n")
    math(EXPR number "${number} + 1")
  endforeach()
else()
  message("The page of `fathom serve` is missing: the command will say so; all else is built.")
endif()

set(text "// Made by web/embed_page.cmake.\n\n#include \"page.h\"\n\nnamespace fathom::web {\n\n")
if(table)
  string(APPEND text "namespace {\n\n${arrays}\nconstexpr PageFile kFiles[] = {\n${table}};\n\n}  // namespace\n\n")
  string(APPEND text "std::span<const PageFile> page_files() { return kFiles; }\n")
else()
  string(APPEND text "std::span<const PageFile> page_files() { return {}; }\n")
endif()
string(APPEND text "\n}  // namespace fathom::web\n")

# Untouched where it is the same, so that nothing is compiled again.
set(before "")
if(EXISTS "${SOURCE}")
  file(READ "${SOURCE}" before)
endif()
if(NOT before STREQUAL text)
  file(WRITE "${SOURCE}" "${text}")
endif()
if(table)
  file(TOUCH "${STAMP}")
endif()
