# The flags of the core and of every game, plug-ins included.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

function(joute_flags target)
  set_target_properties(${target} PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
  if(JOUTE_ARCH)
    target_compile_options(${target} PRIVATE -march=${JOUTE_ARCH})
  endif()
  # No contraction: a fused multiply-add rounds once where others round twice, and a search must make the same choices
  # on every machine.
  target_compile_options(${target} PRIVATE -Wall -Wextra -ffp-contract=off)
  # A struct of options without one of its fields does not compile (core/options.hpp); a plug-in's own structs may.
  if(PROJECT_NAME STREQUAL "joute")
    target_compile_options(${target} PRIVATE -Werror=missing-field-initializers)
  endif()
endfunction()
