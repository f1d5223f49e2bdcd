# SPDX-License-Identifier: Apache-2.0
# cmake -DPROGRAMS="a;b;..." -P same_output.cmake: all programs must print the same.
foreach(program ${PROGRAMS})
  execute_process(COMMAND "${program}" OUTPUT_VARIABLE output RESULT_VARIABLE result)
  if(NOT result EQUAL 0 OR output STREQUAL "")
    message(FATAL_ERROR "${program}: ${result}")
  endif()
  if(NOT DEFINED first)
    set(first "${output}")
  endif()
  if(NOT output STREQUAL first)
    message(FATAL_ERROR "${program} printed ${output}, not ${first}")
  endif()
endforeach()
