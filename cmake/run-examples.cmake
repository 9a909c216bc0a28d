# Installs a build of Fathom into a fresh folder, builds the examples against it as a separate project, and runs them.
#
#   cmake -Dfathom_build=DIR -Dexamples=DIR -Dconfig=CONFIG -Dgenerator=NAME -Dcompiler=PATH -P run-examples.cmake

set(work "${fathom_build}/examples")
set(ENV{DESTDIR})  # otherwise the package would be installed elsewhere
file(REMOVE_RECURSE "${work}")

execute_process(COMMAND "${CMAKE_COMMAND}" --install "${fathom_build}" --config "${config}" --prefix "${work}/prefix"
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

# refused(NAME REASON LANGUAGE [argument of find_package...])
#
# Fails unless the package refuses a project in this language, and says this reason.
function(refused name reason language)
  file(WRITE "${work}/${name}/CMakeLists.txt"
    "cmake_minimum_required(VERSION 3.25)\nproject(${name} ${language})\nfind_package(fathom REQUIRED ${ARGN})\n")
  execute_process(COMMAND "${CMAKE_COMMAND}" -S "${work}/${name}" -B "${work}/${name}/build" -G "${generator}"
      "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_PREFIX_PATH=${work}/prefix"
    OUTPUT_QUIET ERROR_VARIABLE said RESULT_VARIABLE code)
  if(code EQUAL 0 OR NOT said MATCHES "${reason}")
    message(FATAL_ERROR "${name} must be refused because of \"${reason}\": ${code}, ${said}")
  endif()
endfunction()
refused(unknown_component "no component nonexistent" CXX "COMPONENTS rt nonexistent")
refused(only_in_c "needs the language CXX" C)

execute_process(COMMAND "${CMAKE_COMMAND}" -S "${examples}" -B "${work}/build" -G "${generator}"
    "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_BUILD_TYPE=${config}" "-DCMAKE_PREFIX_PATH=${work}/prefix"
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${work}/build" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_CTEST_COMMAND}" --test-dir "${work}/build" --output-on-failure --no-tests=error
  COMMAND_ERROR_IS_FATAL ANY)
