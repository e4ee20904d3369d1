// SPDX-License-Identifier: BSL-1.0
// What newlib asks its system for, where it prints: a heap, of which its floating point and its files take a little, and no
// files but the standard output, which nobody reads.
#ifndef BENCHMARKS_CYCLES_KERNELS_NEWLIB_CALLS_HPP
#define BENCHMARKS_CYCLES_KERNELS_NEWLIB_CALLS_HPP

#include <cstddef>
#include <cstdio>

#include <neuromorph/target/device/semihosting.hpp>

extern "C" {
// strict C++ does not declare these
int sniprintf(char* to, std::size_t room, const char* format, ...);
int iprintf(const char* format, ...);

void* _sbrk(int more) {
  alignas(8) static char heap[8192];
  static int used = 0;
  return &heap[used += more] - more;
}
int _write(int, const char*, int bytes) { return bytes; }
int _read(int, char*, int) { return -1; }
int _close(int) { return -1; }
int _lseek(int, int, int) { return -1; }
int _fstat(int, void*) { return -1; }
int _isatty(int) { return 0; }
int _kill(int, int) { return -1; }
int _getpid() { return 1; }
[[noreturn]] void _exit(int status) { neuromorph::target::Semihosting::exit(status); }
}

#endif
