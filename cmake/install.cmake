# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` leaves: the rooms' headers and libraries, the package for find_package(ballast), and
# the command (tools/cli).

include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/ballast)
foreach(room IN LISTS rooms)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ballast/${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ballast
          FILES_MATCHING PATTERN *.hpp PATTERN *.cuh)
endforeach()
install(EXPORT ballast_targets NAMESPACE ballast:: DESTINATION ${package_folder})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ballastConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/ballastConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ballastConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ballastConfig.cmake ${PROJECT_BINARY_DIR}/ballastConfigVersion.cmake
        DESTINATION ${package_folder})
