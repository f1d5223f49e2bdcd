# SPDX-License-Identifier: Apache-2.0
# What all machines share is one shared library, libhypertorus.so; machines, their benches and campaigns, and the
# program's subcommands are others, which are opened by name at run time and refused if they are of another build:
#   ht_machine(NAME X SOURCES description.cpp LINKS ht_sim_X)           target machine-X
#   ht_machine_part(MACHINE X PART bench SOURCES report.cpp LINKS ...)  target bench-X
#   ht_command(NAME exec SOURCES command.cpp LINKS ...)                 target command-exec
include(GNUInstallDirs)
set(HT_GENERATED "${PROJECT_BINARY_DIR}/generated")
set(HT_PLUGIN_DIR "${CMAKE_INSTALL_LIBDIR}/hypertorus")

# A library that links the shared one, target hypertorus_core, before anything that is in it, so that nothing is in
# both. WHOLE: static libraries all of which it shall hold.
function(ht_plugin)
  cmake_parse_arguments(A "" "NAME;FILE" "SOURCES;LINKS;WHOLE" ${ARGN})
  add_library(${A_NAME} SHARED ${A_SOURCES} "${HT_ROOT}/sim/plugin/plugin_mark.cpp")
  target_include_directories(${A_NAME} PRIVATE "${HT_ROOT}" "${HT_GENERATED}")
  if(TARGET ht_build_hash)
    add_dependencies(${A_NAME} ht_build_hash)
  endif()
  set(whole)
  if(A_WHOLE)
    set(whole -Wl,--whole-archive)
    foreach(library ${A_WHOLE})
      list(APPEND whole "$<TARGET_FILE:${library}>")
    endforeach()
    list(APPEND whole -Wl,--no-whole-archive)
    add_dependencies(${A_NAME} ${A_WHOLE})
  endif()
  target_link_libraries(${A_NAME} PRIVATE ht_warnings ${whole} hypertorus_core ${A_LINKS})
  # CMake may put static libraries of the list above before the shared one: what is in both must come from that.
  target_link_options(${A_NAME} PRIVATE "SHELL:-Wl,--push-state,--no-as-needed $<TARGET_FILE:hypertorus_core> -Wl,--pop-state")
  target_compile_options(${A_NAME} PRIVATE ${HT_COLD_OPTIONS})
  ht_precompile(${A_NAME} library_cold)
  # Parts of a variant (cmake/variant) find its machine, not the one of the same file name that is open already.
  set(variant)
  if(HT_VARIANT)
    set(variant "-${HT_VARIANT}")
  endif()
  set_target_properties(${A_NAME} PROPERTIES PREFIX "" OUTPUT_NAME "hypertorus-${A_FILE}${variant}"
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${HT_PLUGIN_DIR}"
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN;$ORIGIN/..")
  install(TARGETS ${A_NAME} LIBRARY DESTINATION "${HT_PLUGIN_DIR}")
endfunction()

function(ht_machine)
  cmake_parse_arguments(A "" "NAME" "SOURCES;LINKS;WHOLE" ${ARGN})
  ht_plugin(NAME machine-${A_NAME} FILE machine-${A_NAME} SOURCES ${A_SOURCES} LINKS ${A_LINKS} WHOLE ${A_WHOLE})
endfunction()

function(ht_machine_part)
  cmake_parse_arguments(A "" "MACHINE;PART" "SOURCES;LINKS" ${ARGN})
  ht_plugin(NAME ${A_PART}-${A_MACHINE} FILE ${A_PART}-${A_MACHINE} SOURCES ${A_SOURCES}
            LINKS machine-${A_MACHINE} ${A_LINKS})
endfunction()

function(ht_command)
  cmake_parse_arguments(A "" "NAME" "SOURCES;LINKS" ${ARGN})
  ht_plugin(NAME command-${A_NAME} FILE command-${A_NAME} SOURCES ${A_SOURCES} LINKS ${A_LINKS})
endfunction()

# ht_core(libraries...): the shared library of all of these.
function(ht_core)
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/core.cpp" CONTENT "// All of it comes from static libraries.\n")
  add_library(hypertorus_core SHARED "${CMAKE_CURRENT_BINARY_DIR}/core.cpp")
  set(whole)
  foreach(library ${ARGN})
    list(APPEND whole "$<TARGET_FILE:${library}>")
    target_include_directories(hypertorus_core SYSTEM INTERFACE
      $<TARGET_PROPERTY:${library},INTERFACE_SYSTEM_INCLUDE_DIRECTORIES>)
    target_compile_definitions(hypertorus_core INTERFACE
      $<TARGET_PROPERTY:${library},INTERFACE_COMPILE_DEFINITIONS>)
  endforeach()
  add_dependencies(hypertorus_core ${ARGN})
  target_link_libraries(hypertorus_core PRIVATE -Wl,--whole-archive ${whole} -Wl,--no-whole-archive ${ARGN})
  target_link_options(hypertorus_core PRIVATE -Wl,-Bsymbolic-functions)
  set_target_properties(hypertorus_core PROPERTIES OUTPUT_NAME hypertorus
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS hypertorus_core LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endfunction()
