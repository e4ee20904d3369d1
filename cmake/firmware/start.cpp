// SPDX-License-Identifier: BSL-1.0
// From reset to main and out again, the same for every board: memory, static objects, command line, exit
// status.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <neuromorph/target/device/semihosting.hpp>

using neuromorph::target::Semihosting;

extern "C" {
extern std::uint32_t firmware_data_from[], firmware_data_begin[], firmware_data_end[];
extern std::uint32_t firmware_bss_begin[], firmware_bss_end[];
extern void (*firmware_init_begin[])();
extern void (*firmware_init_end[])();

// Of the C library, for its files; absent when nothing prints.
[[gnu::weak]] void initialise_monitor_handles();

[[noreturn]] void firmware_stop(const char* text) {
  Semihosting::write(text);
  Semihosting::exit(70);
}

// A firmware that includes firmware/newlib.hpp defines its own.
[[noreturn, gnu::weak]] void _exit(int status) { Semihosting::exit(status); }

// The C library's ends of static objects, which a firmware never destroys.
void* __dso_handle = nullptr;
void _fini() {}

[[noreturn]] void firmware_start();
}

// ISO C++ forbids calling main by its own name.
extern "C" int firmware_main(int argument_count, char** arguments) asm("main");

static char command_line[1024];
static char* arguments[64];

static int split_command_line() {
  int count = 0;
  bool in_word = false;
  const std::size_t length = Semihosting::command_line(command_line);
  for (std::size_t at = 0; at < length && command_line[at] != '\0'; ++at) {
    if (command_line[at] == ' ') {
      command_line[at] = '\0';
      in_word = false;
    } else if (!in_word) {
      if (count == 63) firmware_stop("firmware stopped: more than 63 words on the command line\n");
      arguments[count++] = command_line + at;
      in_word = true;
    }
  }
  return count;
}

void firmware_start() {
  const std::uint32_t* from = firmware_data_from;
  for (std::uint32_t* to = firmware_data_begin; to != firmware_data_end; ++to) *to = *from++;
  for (std::uint32_t* to = firmware_bss_begin; to != firmware_bss_end; ++to) *to = 0;
  if (initialise_monitor_handles != nullptr) initialise_monitor_handles();
  for (void (**construct)() = firmware_init_begin; construct != firmware_init_end; ++construct) (*construct)();
  std::exit(firmware_main(split_command_line(), arguments));
}
