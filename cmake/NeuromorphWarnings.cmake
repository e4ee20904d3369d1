# SPDX-License-Identifier: BSL-1.0
# The project's own programs are compiled with these; users of the library get none of them.
add_library(neuromorph_warnings INTERFACE)
target_compile_options(neuromorph_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror)
