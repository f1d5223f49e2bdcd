# SPDX-License-Identifier: Apache-2.0
# cmake --install build/release --prefix DIR: the program, the headers of QMP and of what
# machines add to it for one's own programs, and what find_package(hypertorus) reads. An executable that links the target
# hypertorus::qmp is a program for `hypertorus exec`: the target carries what hypertorus-cc adds to
# a compiler's options.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(ht_qmp_header INTERFACE)
set_target_properties(ht_qmp_header PROPERTIES EXPORT_NAME qmp)
target_include_directories(ht_qmp_header INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
set(support "$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/hypertorus")
target_compile_options(ht_qmp_header INTERFACE -fPIC -fexceptions -fstack-clash-protection
  "-fsanitize-coverage=trace-pc$<$<COMPILE_LANG_AND_ID:C,Clang>:,bb,no-prune>$<$<COMPILE_LANG_AND_ID:CXX,Clang>:,bb,no-prune>"
  "$<$<COMPILE_LANGUAGE:CXX>:-fno-gnu-unique>")
# What the simulator loads is executables only: a shared library is linked as elsewhere, as by hypertorus-cc -shared.
# -Wl would take apart the name of a folder that has a comma.
set(program "$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>")
target_link_options(ht_qmp_header INTERFACE
  "$<INSTALL_INTERFACE:$<${program}:@${support}/link-options.txt>>"
  "$<INSTALL_INTERFACE:$<${program}:SHELL:-Xlinker -soname -Xlinker \"$<INSTALL_PREFIX>/${CMAKE_INSTALL_BINDIR}/hypertorus\">>"
  "$<INSTALL_INTERFACE:$<${program}:SHELL:-Xlinker \"--version-script=${support}/program.ver\">>"
  "$<$<AND:${program},$<LINK_LANGUAGE:CXX>>:-static-libstdc++>")
target_link_libraries(ht_qmp_header INTERFACE
  "$<INSTALL_INTERFACE:$<${program}:${support}/libhypertorus_node.a>>")
install(TARGETS ht_qmp_header EXPORT hypertorus-targets)
get_property(machine_headers GLOBAL PROPERTY HT_PROGRAM_HEADERS)
install(FILES sw/qmp/qmp.h ${machine_headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/hypertorus")
install(EXPORT hypertorus-targets NAMESPACE hypertorus:: DESTINATION "${package_dir}"
  FILE hypertorus-config.cmake)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/hypertorus-config-version.cmake"
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/hypertorus-config-version.cmake" DESTINATION "${package_dir}")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
if(TARGET hypertorus)
  install(TARGETS hypertorus RUNTIME)
  # Wireshark's dissector for `hypertorus run --pcap`.
  install(FILES "${HT_DISSECTOR}" DESTINATION "${CMAKE_INSTALL_DATADIR}/hypertorus")
endif()
