# SPDX-License-Identifier: Apache-2.0
# Compiler settings and the ways a folder declares what it builds:
#   ht_library(NAME ht_model SOURCES a.cpp LINKS fmt::fmt)      COLD: what runs once is not optimised
#   ht_test(NAME test_model SOURCES a_test.cpp LINKS ht_model LABELS quick)     COLD as above
#   ht_fuzz(NAME words SOURCES words.cpp LINKS ht_model EXECUTIONS 20000)       see tests/fuzz; COLD as above
# and ht_verilate (HypertorusVerilate.cmake).
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g1")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

# Options, reports and the like take most of a build if they are optimised: most of it is templates of the
# libraries they use.
set(HT_COLD_OPTIONS "$<$<CONFIG:RelWithDebInfo>:-O0>")

# No contraction: every build, with or without -march, gives the same bits.
add_compile_options(-ffp-contract=off)
if(HYPERTORUS_SANITIZE)
  set(HT_SANITIZE_OPTIONS -fsanitize=${HYPERTORUS_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  if(HYPERTORUS_SANITIZE MATCHES address)
    list(APPEND HT_SANITIZE_OPTIONS -D_GLIBCXX_ASSERTIONS)
  endif()
  add_compile_options(${HT_SANITIZE_OPTIONS})
  add_link_options(-fsanitize=${HYPERTORUS_SANITIZE})
endif()
# Not ours to look at: what a program wrote, and the runtime of who wrote that. It is where the time goes, and so a
# compiler cache knows it.
function(ht_unsanitized target)
  if(NOT HT_SANITIZE_OPTIONS)
    return()
  endif()
  get_target_property(options ${target} COMPILE_OPTIONS)
  list(REMOVE_ITEM options ${HT_SANITIZE_OPTIONS})
  set_property(TARGET ${target} PROPERTY COMPILE_OPTIONS ${options})
endfunction()
if(HYPERTORUS_COVERAGE)
  # By these names: nothing takes back what GCC's --coverage, which stands for both, switches on (HypertorusVerilate.cmake).
  add_compile_options(-fprofile-arcs -ftest-coverage -fprofile-update=atomic -fno-inline)
  add_link_options(--coverage)
endif()
if(HYPERTORUS_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)  # what tells the fuzzer which branches an input takes
endif()

add_library(ht_warnings INTERFACE)
if(HYPERTORUS_SANITIZE)
  set(warnings_are_errors)  # GCC 12 finds faults where there are none once sanitizers are between its passes
else()
  set(warnings_are_errors -Werror)
endif()
target_compile_options(ht_warnings INTERFACE -Wall -Wextra -Wconversion ${warnings_are_errors}
  # GCC 12's own std::stable_sort() uses what it marks as deprecated; Clang does not know that header for a system's.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
  # To GCC -Wconversion in C++ is about values that change, not about signs.
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-sign-conversion>)

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
add_compile_definitions(FMT_SHARED)  # as fmt::fmt says: the same everywhere, whoever links it

# Half of a source's compilation is reading the headers of the libraries that most of them use. With
# HYPERTORUS_PRECOMPILE these are compiled once for each set of options; a compiler cache knows the results already.
# ht_precompile(TARGET library) or test, library_cold, test_cold.
function(ht_precompile target kind)
  if(NOT HYPERTORUS_PRECOMPILE OR CCACHE_PROGRAM OR CMAKE_BUILD_TYPE STREQUAL Debug)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  if(sources MATCHES "\\.c(;|$)")
    return()  # programs in C have no use for them
  endif()
  set(common ht_headers_${kind})
  if(NOT TARGET ${common})
    set(headers <algorithm> <array> <cstdint> <deque> <functional> <map> <memory> <optional> <random> <span> <string>
                <utility> <vector> <fmt/format.h>)
    set(source "${PROJECT_BINARY_DIR}/headers/${kind}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "int main() { return 0; }  // Only for the headers.\n")
    if(kind MATCHES test)
      add_executable(${common} EXCLUDE_FROM_ALL "${source}")
      list(APPEND headers <catch2/catch.hpp>)
    else()
      add_library(${common} STATIC EXCLUDE_FROM_ALL "${source}")
    endif()
    if(kind MATCHES cold)
      target_compile_options(${common} PRIVATE ${HT_COLD_OPTIONS})
      list(APPEND headers <nlohmann/json.hpp>)
    endif()
    if(kind STREQUAL library_cold)
      list(APPEND headers <CLI/CLI.hpp>)
    endif()
    target_link_libraries(${common} PRIVATE ht_warnings)
    target_precompile_headers(${common} PRIVATE ${headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${common})
  # GCC 12 finds faults in its own std::string once its header has been compiled before; and a target with definitions
  # of its own reads the headers again.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>)
  set_target_properties(${target} PROPERTIES PCH_WARN_INVALID OFF)
endfunction()

# A static library of the program's build tree, for a variant of a machine (cmake/variant).
function(ht_import name)
  file(RELATIVE_PATH folder "${HT_ROOT}" "${CMAKE_CURRENT_SOURCE_DIR}")
  add_library(${name} STATIC IMPORTED GLOBAL)
  set_target_properties(${name} PROPERTIES IMPORTED_LOCATION "${HT_OUTSIDE}/${folder}/lib${name}.a")
  target_link_libraries(${name} INTERFACE ${ARGN})
endfunction()

function(ht_library)
  cmake_parse_arguments(A "COLD" "NAME" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  if(HT_IMPORT)
    ht_import(${A_NAME} ${A_LINKS} ${A_PRIVATE_LINKS})
    target_include_directories(${A_NAME} INTERFACE "${HT_ROOT}")
    return()
  endif()
  add_library(${A_NAME} STATIC ${A_SOURCES})
  if(A_COLD)
    target_compile_options(${A_NAME} PRIVATE ${HT_COLD_OPTIONS})
  endif()
  # Includes are paths from the root: #include "sw/host/memory.hpp".
  target_include_directories(${A_NAME} PUBLIC "${HT_ROOT}")
  target_link_libraries(${A_NAME} PUBLIC ${A_LINKS} PRIVATE ht_warnings ${A_PRIVATE_LINKS})
  if(A_COLD)
    ht_precompile(${A_NAME} library_cold)
  else()
    ht_precompile(${A_NAME} library)
  endif()
endfunction()

# LONG_CASES [tag]: its test cases with this tag, be it [nightly], get the label nightly.
function(ht_test)
  cmake_parse_arguments(A "COLD" "NAME;TIMEOUT;LONG_CASES" "SOURCES;LINKS;LABELS" ${ARGN})
  if(NOT A_TIMEOUT)
    set(A_TIMEOUT 900)   # hangs; a busy computer takes minutes for the longest
  endif()
  list(LENGTH A_LABELS count)
  if(count GREATER 1)
    message(FATAL_ERROR "ht_test(${A_NAME}): catch_discover_tests would drop all labels but one")
  endif()
  # An empty label would vanish, and what follows it be taken for the label.
  set(label)
  if(count EQUAL 1)
    set(label LABELS ${A_LABELS})
  endif()
  add_executable(${A_NAME} ${A_SOURCES})
  target_link_libraries(${A_NAME} PRIVATE ht_catch_main ht_warnings ${A_LINKS})
  if(A_COLD)
    target_compile_options(${A_NAME} PRIVATE ${HT_COLD_OPTIONS})
    ht_precompile(${A_NAME} test_cold)
  else()
    ht_precompile(${A_NAME} test)
  endif()
  # Discovered when ctest runs, so that building never executes a test binary. A test that needs
  # outside data and does not find it prints "SKIPPED: reason". NoTests: a name that ctest mangles
  # (a semicolon in it) selects nothing, and must fail.
  set(discovered TEST_PREFIX "${A_NAME}: " DISCOVERY_MODE PRE_TEST EXTRA_ARGS --warn NoTests)
  set(spec)
  if(A_LONG_CASES)
    catch_discover_tests(${A_NAME} ${discovered} TEST_SPEC "${A_LONG_CASES}"
      PROPERTIES LABELS nightly TIMEOUT 7200 SKIP_REGULAR_EXPRESSION "SKIPPED: ")
    set(spec TEST_SPEC "~${A_LONG_CASES}")
  endif()
  catch_discover_tests(${A_NAME} ${discovered} ${spec}
    PROPERTIES ${label} TIMEOUT ${A_TIMEOUT} SKIP_REGULAR_EXPRESSION "SKIPPED: ")
endfunction()

# A target of fuzzing, fuzz_NAME: `SOURCES` define LLVMFuzzerTestOneInput(); seeds lie in corpus/NAME, words in
# corpus/NAME.dict, beside the CMakeLists.txt that calls this. With HYPERTORUS_FUZZ it is one of libFuzzer's programs,
# else our own driver runs the seeds and, with EXECUTIONS, so many inputs made of them as a test.
function(ht_fuzz)
  cmake_parse_arguments(A "COLD" "NAME;EXECUTIONS" "SOURCES;LINKS" ${ARGN})
  set(target fuzz_${A_NAME})
  set(seeds "${CMAKE_CURRENT_SOURCE_DIR}/corpus/${A_NAME}")
  add_executable(${target} ${A_SOURCES})
  target_include_directories(${target} PRIVATE "${HT_ROOT}")
  target_link_libraries(${target} PRIVATE ht_warnings ${A_LINKS})
  set_property(GLOBAL APPEND PROPERTY HT_FUZZ_TARGETS "${A_NAME}\t$<TARGET_FILE:${target}>\t${seeds}")
  if(HYPERTORUS_FUZZ)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    return()
  endif()
  target_link_libraries(${target} PRIVATE ht_fuzz_driver)
  if(A_COLD)
    target_compile_options(${target} PRIVATE ${HT_COLD_OPTIONS})
  endif()
  if(NOT A_EXECUTIONS)
    return()
  endif()
  set(test "${target}: seeds, and inputs made of them")
  add_test(NAME "${test}" COMMAND ${target} ${seeds} --executions ${A_EXECUTIONS})
  set_tests_properties("${test}" PROPERTIES LABELS quick TIMEOUT 300)
endfunction()

# ht_rtl(sources includes X/link common): one module a file, so that a new file is all a new module needs: the
# Verilog files of these folders of rtl and of those below them, and the folders, where their headers lie. What stands
# around a node (X/axi) is no part of it: only who names that folder has it.
function(ht_rtl sources includes)
  set(found)
  set(folders)
  foreach(folder ${ARGN})
    file(GLOB_RECURSE files CONFIGURE_DEPENDS "${HT_ROOT}/rtl/${folder}/*.v" "${HT_ROOT}/rtl/${folder}/*.vh")
    if(NOT folder MATCHES "/axi$")
      list(FILTER files EXCLUDE REGEX "/axi/[^/]*$")
    endif()
    foreach(file ${files})
      cmake_path(GET file PARENT_PATH parent)
      list(APPEND folders "${parent}")
    endforeach()
    list(FILTER files EXCLUDE REGEX "\\.vh$")
    list(APPEND found ${files})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(${sources} "${found}" PARENT_SCOPE)
  set(${includes} "${folders}" PARENT_SCOPE)
endfunction()
