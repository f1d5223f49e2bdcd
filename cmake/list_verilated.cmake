# SPDX-License-Identifier: Apache-2.0
# cmake -D FOLDER=folder -D PREFIX=Vname -P list_verilated.cmake: what Verilator wrote into its folder, and from what,
# as FOLDER/PREFIX.files.cmake, which is left alone if it would be the same:
#   fast, slow, trace   the sources to compile, by how often they run
#   needs               the files that were read
# All Verilators leave such a list for themselves (--skip-identical): a line "S ... "file"" for what was read, "T ..." for
# what was written.
file(STRINGS "${FOLDER}/${PREFIX}__verFiles.dat" lines ENCODING UTF-8 REGEX "^[ST] .*\"$")
foreach(kind fast slow trace needs)
  set(${kind})
endforeach()
foreach(line ${lines})
  string(REGEX MATCH "^(.).*\"([^\"]+)\"$" _ "${line}")
  set(file "${CMAKE_MATCH_2}")
  if(CMAKE_MATCH_1 STREQUAL S)
    # Verilator cuts names of what it reads at a space in the path: whoever calls it knows the sources themselves.
    if(NOT EXISTS "${file}" OR IS_DIRECTORY "${file}")
      continue()
    endif()
    set(kind needs)
  elseif(NOT file MATCHES "\\.cpp$")
    continue()
  elseif(file MATCHES "__Trace(Decls)?__[^/]*$")
    set(kind trace)
  elseif(file MATCHES "(__Slow|__Syms|__ConstPool_[^/]*)\\.cpp$")
    set(kind slow)
  else()
    set(kind fast)
  endif()
  string(APPEND ${kind} "\n  \"${file}\"")
endforeach()
if(NOT fast OR NOT needs)
  message(FATAL_ERROR "${FOLDER}/${PREFIX}__verFiles.dat does not say what Verilator wrote")
endif()
set(text "# Written by cmake/list_verilated.cmake.\n")
foreach(kind fast slow trace needs)
  string(APPEND text "set(${kind}${${kind}})\n")
endforeach()
file(CONFIGURE OUTPUT "${FOLDER}/${PREFIX}.files.cmake" CONTENT "${text}" @ONLY)

# With COVERAGE, what a model has counted is added up when it ends (sim/kernel/verilator_coverage.cpp).
if(COVERAGE)
  file(READ "${FOLDER}/${PREFIX}.cpp" text)
  if(NOT text MATCHES "ht_keep_coverage")
    string(REPLACE "    delete vlSymsp;" "    ht_keep_coverage(*contextp(), vlSymsp->__Vcoverage, sizeof vlSymsp->__Vcoverage);\n    delete vlSymsp;" text "${text}")
    string(REGEX REPLACE "(\n#include \"${PREFIX}__Syms.h\")" "\\1\nvoid ht_keep_coverage(VerilatedContext& context, const void* begin, unsigned long bytes);" text "${text}")
    if(NOT text MATCHES "ht_keep_coverage\\(\\*contextp.*")
      message(FATAL_ERROR "${PREFIX}.cpp: no destructor that could keep what was counted")
    endif()
    file(WRITE "${FOLDER}/${PREFIX}.cpp" "${text}")
  endif()
endif()
