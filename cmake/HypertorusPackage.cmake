# SPDX-License-Identifier: Apache-2.0
# cpack --config build/release/CPackConfig.cmake: a Debian package of what `cmake --install` installs. The program finds
# its libraries from where it lies itself, so that the files of the package work in any other folder, too.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME hypertorus)
set(CPACK_PACKAGE_VENDOR "The hypertorus maintainers")
set(CPACK_PACKAGE_CONTACT "The hypertorus maintainers <hypertorus@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES OFF)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# The libraries that it links, asked of dpkg-shlibdeps; its own are beside it.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}")
# What hypertorus-cc calls.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gcc, g++")
include(CPack)
