# SPDX-License-Identifier: Apache-2.0
# cmake -DGHDL=ghdl "-DSOURCES=a.vhd|b.vhd" -DTOP=entity -DGENERICS=-gN=2 -DOUTPUT=file.v -P synthesise.cmake
# Writes OUTPUT only when all went well.
get_filename_component(work "${OUTPUT}" DIRECTORY)
string(APPEND work "/${TOP}_synthesis")
string(REPLACE "|" ";" SOURCES "${SOURCES}")
file(MAKE_DIRECTORY "${work}")
execute_process(COMMAND "${GHDL}" -a --std=08 "--workdir=${work}" ${SOURCES} RESULT_VARIABLE failed)
if(NOT failed)
  execute_process(COMMAND "${GHDL}" --synth --std=08 "--workdir=${work}" --out=verilog ${GENERICS} ${TOP}
    RESULT_VARIABLE failed OUTPUT_FILE "${work}/out.v" ERROR_VARIABLE said)
  if(failed)
    message("${said}")  # otherwise notes about memories
  endif()
endif()
if(failed)
  message(FATAL_ERROR "ghdl could not turn ${TOP} into Verilog")
endif()
# GHDL 2.0 writes constants of record types as strings of 0 and 1: "0101" is to be 4'b0101.
file(READ "${work}/out.v" verilog)
string(REGEX MATCHALL "\"[01]+\"" constants "${verilog}")
list(REMOVE_DUPLICATES constants)
foreach(constant IN LISTS constants)
  string(REPLACE "\"" "" bits "${constant}")
  string(LENGTH "${bits}" width)
  string(REPLACE "${constant}" "${width}'b${bits}" verilog "${verilog}")
endforeach()
file(WRITE "${work}/out.v" "${verilog}")
file(RENAME "${work}/out.v" "${OUTPUT}")
