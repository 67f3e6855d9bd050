# The folder of the units' templates, beside this file.
set(JOUTE_UNITS "${CMAKE_CURRENT_LIST_DIR}/units")

# Makes the units that bind a game. `binding` is the room's bind.hpp as a unit includes it, `headers` the folder of the
# core's headers as it includes them ("" or "joute/"), and `out` the variable that gets the list of the files.
function(joute_binding_units game binding headers out)
  set(units)
  foreach(unit rules searches networks)
    set(file "${CMAKE_CURRENT_BINARY_DIR}/units/${game}/${unit}.cpp")
    configure_file("${JOUTE_UNITS}/${unit}.cpp.in" "${file}" @ONLY)
    list(APPEND units "${file}")
  endforeach()
  set(${out} ${units} PARENT_SCOPE)
endfunction()
