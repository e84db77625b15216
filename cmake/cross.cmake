# Builds on Debian for another of its architectures, with that one's libraries beside the machine's
# own: `scripts/setup compile arm64` installs compiler and libraries. SCALEDCACHE_ARCH is Debian's
# name of the target, amd64 or arm64.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SCALEDCACHE_ARCH)
set(processor_amd64 x86_64)
set(processor_arm64 aarch64)
if(NOT DEFINED processor_${SCALEDCACHE_ARCH})
  message(FATAL_ERROR "SCALEDCACHE_ARCH is '${SCALEDCACHE_ARCH}'; known are amd64 and arm64")
endif()

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${processor_${SCALEDCACHE_ARCH}})
set(triplet ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
set(CMAKE_CXX_COMPILER ${triplet}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${triplet})
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/${triplet}/pkgconfig:/usr/share/pkgconfig)
