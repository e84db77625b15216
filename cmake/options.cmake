# Warnings, hardening and sanitizers as interface targets, so that nothing is global and a
# person who only builds is not stopped by a warning of a newer compiler.

option(SCALEDCACHE_WARNINGS_AS_ERRORS "Treat compiler warnings as errors" OFF)
option(SCALEDCACHE_HARDENING "Compile and link with hardening flags" OFF)
option(SCALEDCACHE_TIDY "Run clang-tidy on every source file" OFF)
set(SCALEDCACHE_SANITIZERS "" CACHE STRING "Sanitizers, as -fsanitize= takes them")

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

add_library(sc_options INTERFACE)
target_compile_features(sc_options INTERFACE cxx_std_20)
target_compile_options(sc_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wnull-dereference -Wdouble-promotion
  -Wimplicit-fallthrough -Wformat=2 -Wcast-align -Wundef
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wduplicated-branches -Wlogical-op -Wuseless-cast -Wsuggest-override>
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)
if(SCALEDCACHE_WARNINGS_AS_ERRORS)
  target_compile_options(sc_options INTERFACE -Werror)
endif()
if(SCALEDCACHE_HARDENING)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    set(branch_protection -mbranch-protection=standard)
  else()
    set(branch_protection -fcf-protection)
  endif()
  target_compile_options(sc_options INTERFACE
    -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection ${branch_protection}
    -D_GLIBCXX_ASSERTIONS -fPIE)
  target_link_options(sc_options INTERFACE
    -pie -Wl,-z,relro,-z,now -Wl,-z,noexecstack -Wl,--as-needed -Wl,--gc-sections)
endif()
if(SCALEDCACHE_SANITIZERS)
  target_compile_options(sc_options INTERFACE
    -fsanitize=${SCALEDCACHE_SANITIZERS} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(sc_options INTERFACE -fsanitize=${SCALEDCACHE_SANITIZERS})
endif()
if(SCALEDCACHE_TIDY)
  find_program(CLANG_TIDY NAMES clang-tidy-14 clang-tidy REQUIRED)
endif()

# sc_room(NAME SOURCES … HEADERS … LINK … PRIVATE_LINK …): one static library for one folder of
# lib/, with the alias scaledcache::NAME. Headers are found as "folder/file.h".
function(sc_room name)
  cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS;LINK;PRIVATE_LINK" ${ARGN})
  if(ARG_SOURCES)
    add_library(sc_${name} STATIC ${ARG_SOURCES})
    target_sources(sc_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/lib FILES ${ARG_HEADERS})
    target_link_libraries(sc_${name} PUBLIC ${ARG_LINK} PRIVATE sc_options ${ARG_PRIVATE_LINK})
    if(SCALEDCACHE_TIDY)
      set_target_properties(sc_${name} PROPERTIES CXX_CLANG_TIDY ${CLANG_TIDY})
    endif()
  else()
    message(FATAL_ERROR "sc_room(${name}) has no SOURCES")
  endif()
  add_library(scaledcache::${name} ALIAS sc_${name})
endfunction()

# sc_test(NAME SOURCES … LINK … [PROPERTIES …]): one doctest executable for one folder of tests/; each of its
# test cases becomes a ctest with these properties.
function(sc_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;PROPERTIES" ${ARGN})
  add_executable(test_${name} ${ARG_SOURCES})
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(test_${name} PRIVATE sc_options sc_test_main ${ARG_LINK})
  target_compile_definitions(test_${name} PRIVATE SCALEDCACHE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  doctest_discover_tests(test_${name} TEST_PREFIX "${name}: " ADD_LABELS 0
    PROPERTIES ${ARG_PROPERTIES})
endfunction()
