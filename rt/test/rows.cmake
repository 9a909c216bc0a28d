# Fails if README.md names a test that does not exist, or lacks a row of the research. Tests are renamed more often than
# tables are read.
#
#   cmake -Dfolder=rt/test -Dleast=50 "-Drows=D-11 Q-17 P-13 R-13" -P rt/test/rows.cmake
#
# `least` is the least number of tests that README.md names; `rows` are the last rows of each letter.

cmake_minimum_required(VERSION 3.25)

file(GLOB sources "${folder}/*_test.cc" "${folder}/model/*_test.cc" "${folder}/net/*_test.cc")
set(code "")
foreach(source IN LISTS sources ITEMS "${folder}/CMakeLists.txt")
  file(READ "${source}" text)
  string(REGEX REPLACE "[ \n]+" " " text "${text}")
  string(APPEND code "${text}")
endforeach()

file(READ "${folder}/README.md" table)
string(REGEX MATCHALL "`[A-Za-z]+\\.[A-Z][A-Za-z0-9]+`|`refused_[A-Za-z0-9_]+`" names "${table}")
list(LENGTH names count)
if(count LESS least)
  message(FATAL_ERROR "README.md names ${count} tests: its form has changed")
endif()
set(missing "")
foreach(name IN LISTS names)
  string(REPLACE "`" "" name "${name}")
  if(name MATCHES "^refused_(.*)")
    string(FIND "${code}" "refused(${CMAKE_MATCH_1} " found)
  else()
    string(REPLACE "." ", " declared "${name}")
    string(FIND "${code}" "(${declared})" found)
  endif()
  if(found EQUAL -1)
    string(APPEND missing "\n  ${name}")
  endif()
endforeach()
if(missing)
  message(FATAL_ERROR "README.md names tests that do not exist:${missing}")
endif()

# A line of the table may contain several rows.
string(REGEX MATCHALL "\n\\| [BDPQR0-9, ]+ \\|" cells "${table}")
string(REGEX MATCHALL "[BDPQR][0-9]+" found "${cells}")
set(missing "")
string(REPLACE " " ";" rows "${rows}")
foreach(letter_and_last IN LISTS rows)
  string(REPLACE "-" ";" letter_and_last "${letter_and_last}")
  list(GET letter_and_last 0 letter)
  list(GET letter_and_last 1 last)
  foreach(number RANGE 1 ${last})
    if(NOT "${letter}${number}" IN_LIST found)
      string(APPEND missing " ${letter}${number}")
    endif()
  endforeach()
endforeach()
if(missing)
  message(FATAL_ERROR "README.md lacks rows:${missing}")
endif()
