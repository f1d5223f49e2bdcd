# SPDX-License-Identifier: Apache-2.0
# Builds the program without optimisation and compares a run with this build's, field by field:
#   cmake -D SOURCE=dir -D PROGRAM=hypertorus -D WORK=dir -P same_in_debug.cmake
set(debug "${WORK}/debug")
set(options run --nodes 2x1x1 --lattice 4x4x4x4 --tolerance 1e-6 --quiet)
foreach(command
    "${CMAKE_COMMAND};-S;${SOURCE};-B;${debug};-G;Ninja;-D;CMAKE_BUILD_TYPE=Debug;-D;HYPERTORUS_TESTS=OFF"
    "${CMAKE_COMMAND};--build;${debug};--target;hypertorus;machine-qpace"
    "${PROGRAM};${options};--json;${WORK}/this.json"
    "${debug}/bin/hypertorus;${options};--json;${WORK}/debug.json")
  execute_process(COMMAND ${command} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${command} ended with ${result}:\n${output}")
  endif()
endforeach()
file(READ "${WORK}/this.json" a)
file(READ "${WORK}/debug.json" b)
foreach(key verdict solution_crc32 iterations true_residual correlator plaquette errors links machine_time_ps)
  string(JSON x GET "${a}" ${key})
  string(JSON y GET "${b}" ${key})
  if(NOT x STREQUAL y)
    message(FATAL_ERROR "${key} differs:\n${x}\n${y}")
  endif()
endforeach()
message(STATUS "debug and this build agree")
