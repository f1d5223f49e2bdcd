# SPDX-License-Identifier: Apache-2.0
# find_package(QMP): the target QMP::qmp of the published library's package, which here makes a
# program for `hypertorus exec` of an executable that links it.
include("${CMAKE_CURRENT_LIST_DIR}/../hypertorus/hypertorus-config.cmake")
if(NOT TARGET QMP::qmp)
  add_library(QMP::qmp INTERFACE IMPORTED)
  set_target_properties(QMP::qmp PROPERTIES INTERFACE_LINK_LIBRARIES hypertorus::qmp)
endif()
