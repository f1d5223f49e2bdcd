# SPDX-License-Identifier: Apache-2.0
# Verilog to libraries:
#   ht_verilate(NAME X_node RTL X SOURCES a.v TRACE)     a.v, and all of rtl/X and rtl/common
#   ht_verilate(NAME X_wide TOP X_node RTL X ARGS -GN=2)     another of that top, by its parameters
# COLD: compiled without optimisation, for what is only simulated for moments.
# VARIES: its parameters are those of rtl/X/parameters.toml, which variants of the machine set (cmake/variant).
# Verilator is called here without the CMake package that it may bring: Python's has none, and those of others differ in
# how they list what was written. VERILATOR_ROOT in the environment is the one to take; else the system's.
if(DEFINED ENV{VERILATOR_ROOT} AND NOT EXISTS "$ENV{VERILATOR_ROOT}/include/verilated.h")
  message(FATAL_ERROR "VERILATOR_ROOT is $ENV{VERILATOR_ROOT}, where there is no include/verilated.h")
endif()
find_path(VERILATOR_ROOT include/verilated.h HINTS ENV VERILATOR_ROOT
  PATHS /usr/share/verilator /usr/local/share/verilator NO_DEFAULT_PATH REQUIRED)
find_program(VERILATOR_BIN verilator_bin HINTS "${VERILATOR_ROOT}/bin" "${VERILATOR_ROOT}/../../bin" REQUIRED)
set(HT_VERILATOR "${CMAKE_COMMAND}" -E env "VERILATOR_ROOT=${VERILATOR_ROOT}" "${VERILATOR_BIN}")

# Instances of a module share one copy of their code where that is the same text (sim/*/*.vlt). It is not with newer
# Verilators, which optimise data flow across modules and number tables of all instances; they are those that know of
# -fno-dfg-scoped.
if(NOT DEFINED HT_VERILATOR_SHARES)
  execute_process(COMMAND ${HT_VERILATOR} -fno-dfg-scoped --version RESULT_VARIABLE refused OUTPUT_QUIET ERROR_QUIET)
  set(options)
  if(refused EQUAL 0)
    set(options -fno-dfg -fno-table)
  endif()
  set(HT_VERILATOR_SHARES "${options}" CACHE INTERNAL "Options that keep code of instances the same")
endif()

# Cover points of the states of these modules' state machines (tests/coverage/states.py): files that bind them.
function(ht_state_points result)
  set(folder "${PROJECT_BINARY_DIR}/states")
  if(NOT HT_STATES_MADE)
    execute_process(COMMAND python3 "${HT_ROOT}/tests/coverage/states.py" write "${folder}" COMMAND_ERROR_IS_FATAL ANY)
    file(GLOB tables "${HT_ROOT}/rtl/*/states.toml")
    set_property(DIRECTORY "${HT_ROOT}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${tables} "${HT_ROOT}/tests/coverage/states.py")
    set(HT_STATES_MADE ON PARENT_SCOPE)
  endif()
  set(points)
  foreach(file ${ARGN})
    cmake_path(GET file STEM module)
    if(EXISTS "${folder}/${module}.sv")
      list(APPEND points "${folder}/${module}.sv")
    endif()
  endforeach()
  set(${result} ${points} PARENT_SCOPE)
endfunction()

function(ht_verilate)
  cmake_parse_arguments(A "COLD;TRACE;STATE;VARIES" "NAME;TOP" "SOURCES;RTL;ARGS" ${ARGN})
  if(NOT A_TOP)
    set(A_TOP ${A_NAME})
  endif()
  set(name V${A_NAME})
  if(HT_VARIANT AND NOT A_VARIES)
    file(RELATIVE_PATH folder "${HT_ROOT}" "${CMAKE_CURRENT_SOURCE_DIR}")
    ht_import(${name} ht_verilated)
    target_include_directories(${name} SYSTEM INTERFACE "${HT_OUTSIDE}/${folder}/CMakeFiles/${name}.dir/${name}.dir")
    return()
  endif()
  ht_rtl(rtl includes common ${A_RTL})
  set(model "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir/${name}.dir")
  set(compiler gcc)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    set(compiler clang)
  endif()
  # Verilator cuts the names of files at a space in the path. DECLFILENAME then is about the wrong name, and exceptions
  # that stand in a source, as there are of SYNCASYNCNET, are not that file's any more: both are left to the lint tests.
  set(verilate ${HT_VERILATOR} --cc --compiler ${compiler} --prefix ${name} --Mdir "${model}" --top ${A_TOP}
    -Wall -Wno-DECLFILENAME -Wno-SYNCASYNCNET --x-assign 0 --x-initial unique --noassert -O3 ${HT_VERILATOR_SHARES})
  if(A_TRACE)
    list(APPEND verilate --trace-fst)
  endif()
  if(HYPERTORUS_COVERAGE)
    ht_state_points(points ${rtl})
    list(APPEND verilate --coverage-line --coverage-user --assert ${points})
  endif()
  foreach(folder ${includes})
    list(APPEND verilate -y "${folder}")
  endforeach()
  list(APPEND verilate ${A_ARGS} ${HT_VARIANT_ARGS} ${A_SOURCES} ${rtl})
  set(list_files "${CMAKE_COMMAND}" -D "FOLDER=${model}" -D PREFIX=${name} -D COVERAGE=${HYPERTORUS_COVERAGE} -P "${HT_ROOT}/cmake/list_verilated.cmake")

  # What there is to compile is known after Verilator has run: now for the first time, and when the command is another.
  # Later it is the build that runs it, and CMake again if the list has changed.
  set(list "${model}/${name}.files.cmake")
  set(last "${model}/command.txt")
  set(before)
  if(EXISTS "${list}" AND EXISTS "${last}")
    file(READ "${last}" before)
  endif()
  if(NOT before STREQUAL "${verilate}")
    message(STATUS "Verilating ${A_NAME}")
    file(MAKE_DIRECTORY "${model}")
    execute_process(COMMAND ${verilate} WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" RESULT_VARIABLE failed
      OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if(failed)
      list(JOIN verilate " " readable)
      message(FATAL_ERROR "${readable}\n${said}")
    endif()
    execute_process(COMMAND ${list_files} COMMAND_ERROR_IS_FATAL ANY)
    file(WRITE "${last}" "${verilate}")
  endif()
  include("${list}")
  add_custom_command(OUTPUT ${fast} ${slow} ${trace} BYPRODUCTS "${list}" COMMAND ${verilate} COMMAND ${list_files}
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" DEPENDS ${rtl} ${needs}
      "${HT_ROOT}/cmake/list_verilated.cmake"
    COMMENT "Verilating ${A_NAME}" VERBATIM)

  add_library(${name} STATIC ${fast} ${slow} ${trace})
  target_compile_options(${name} PRIVATE -w)
  ht_unsanitized(${name})
  if(HYPERTORUS_COVERAGE)
    target_compile_options(${name} PRIVATE -fno-profile-arcs -fno-test-coverage)  # what it counts is the Verilog
  endif()
  set(optimised -O2)
  if(A_COLD)
    set(optimised -O0)
  endif()
  set_source_files_properties(${fast} PROPERTIES COMPILE_OPTIONS ${optimised})
  # Tracing is half of a large model's compilation, and writing the file takes longer than what is optimised here.
  set_source_files_properties(${slow} ${trace} PROPERTIES COMPILE_OPTIONS -O0)
  # Generated headers are SYSTEM includes: our warnings are for our code.
  target_include_directories(${name} SYSTEM PUBLIC "${model}")
  if(A_STATE)
    # Its bits by name, for campaigns that flip them.
    set(state "${CMAKE_CURRENT_BINARY_DIR}/${name}_state.cpp")
    set(script "${HT_ROOT}/sim/machine/state_bits.py")
    add_custom_command(OUTPUT "${state}" COMMAND python3 "${script}" "${model}" ${name} "${state}"
      DEPENDS "${script}" "${model}/${name}.cpp" VERBATIM)
    set_source_files_properties("${state}" PROPERTIES COMPILE_OPTIONS -O0)
    target_sources(${name} PRIVATE "${state}")
    target_include_directories(${name} PRIVATE "${HT_ROOT}")
  endif()
  # The runtime is the same for all.
  target_link_libraries(${name} PUBLIC ht_verilated)
endfunction()
