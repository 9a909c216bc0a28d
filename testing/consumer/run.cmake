# Installs a build of Fathom into a fresh folder, builds the project beside this file against it, and runs that.
#
#   cmake -Dfathom_build=DIR -Dconfig=CONFIG -Dgenerator=NAME -Dcompiler=PATH -P run.cmake

set(work "${fathom_build}/consumer")
set(ENV{DESTDIR})  # or the package would land somewhere else
file(REMOVE_RECURSE "${work}")

execute_process(COMMAND "${CMAKE_COMMAND}" --install "${fathom_build}" --config "${config}" --prefix "${work}/prefix"
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${work}/build" -G "${generator}"
    "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_BUILD_TYPE=${config}" "-DCMAKE_PREFIX_PATH=${work}/prefix"
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${work}/build" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${work}/build/consumer" "${work}/prefix" COMMAND_ERROR_IS_FATAL ANY)
