# SPDX-License-Identifier: BSL-1.0
# neuromorph_python_with(<result> <modules>): a Python that has these modules, which another on the path may lack; or NOTFOUND.
function(neuromorph_python_with result modules)
  set(${result} NOTFOUND PARENT_SCOPE)
  foreach(python IN ITEMS ${Python3_EXECUTABLE} /usr/bin/python3)
    execute_process(COMMAND ${python} -c "import ${modules}" RESULT_VARIABLE lacks OUTPUT_QUIET ERROR_QUIET)
    if(lacks EQUAL 0)
      set(${result} ${python} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()
