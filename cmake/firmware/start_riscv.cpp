// SPDX-License-Identifier: BSL-1.0
// What compiled C++ asks of its library, which this toolchain has not: memory by new, which never fails but ends the program, and
// the ends of what would be thrown.
#include <cstddef>
#include <cstdlib>

void* operator new(std::size_t bytes) {
  if (void* const memory = std::malloc(bytes); memory != nullptr) return memory;
  std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace std {
[[noreturn]] void __throw_length_error(const char*) { abort(); }
[[noreturn]] void __throw_logic_error(const char*) { abort(); }
[[noreturn]] void __throw_out_of_range_fmt(const char*, ...) { abort(); }
[[noreturn]] void __throw_bad_alloc() { abort(); }
[[noreturn]] void __throw_bad_array_new_length() { abort(); }
[[noreturn]] void __throw_bad_function_call() { abort(); }
} // namespace std

extern "C" [[noreturn]] void __cxa_pure_virtual() { std::abort(); }
