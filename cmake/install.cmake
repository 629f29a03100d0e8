# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` leaves of the library: the rooms' headers and libraries, and the packages for
# find_package(ballast) and pkg-config. Programs say themselves that they are installed.

include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/ballast)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME dev)
foreach(room IN LISTS rooms)
  install(TARGETS ballast_${room} EXPORT ballast_targets)
  if(BUILD_SHARED_LIBS)
    install(TARGETS ballast_includes_${room} EXPORT ballast_targets)
  endif()
endforeach()
if(BUILD_SHARED_LIBS)
  install(TARGETS ballast_shared EXPORT ballast_targets LIBRARY COMPONENT lib NAMELINK_COMPONENT dev)
  install(TARGETS ballast_static EXPORT ballast_targets)
endif()
if(BALLAST_HAVE_CUDA)
  install(TARGETS ballast_module EXPORT ballast_targets)
endif()
if(BALLAST_HAVE_MPI)
  install(TARGETS ballast_mpi EXPORT ballast_targets)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ballast DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN *.hpp PATTERN *.cuh)
install(EXPORT ballast_targets NAMESPACE ballast:: DESTINATION ${package_folder})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ballastConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/ballastConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ballastConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ballastConfig.cmake ${PROJECT_BINARY_DIR}/ballastConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/ballast_kernels.cmake
        DESTINATION ${package_folder})

# What comes first uses what follows.
set(libs "")
if(BUILD_SHARED_LIBS)
  set(libs -lballast)
else()
  foreach(room IN LISTS rooms)
    get_target_property(kind ballast_${room} TYPE)
    if(kind STREQUAL "STATIC_LIBRARY")
      list(PREPEND libs -lballast_${room})
    endif()
  endforeach()
endif()
if(BALLAST_HAVE_CUDA)
  list(APPEND libs -lballast_module -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt)
endif()
list(JOIN libs " " libs)
file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/ballast.pc.in ${PROJECT_BINARY_DIR}/ballast.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ballast.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME bin)
