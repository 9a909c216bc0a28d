// Module: the program or the shared library that an address of code belongs to.
//
// Where the C library has _dl_find_object() (glibc 2.35 and later), a look-up is safe in signal
// handlers once find_program() has been called.

#pragma once

#include <cstdint>

namespace fathom::base {

struct Module {
  const char* path = nullptr;  // nullptr: the address belongs to none; lives as long as the module
  std::uintptr_t base = 0;     // what is added to the addresses in its file
};

[[nodiscard]] Module module_of(std::uintptr_t address) noexcept;

// Finds out the path of the program, for later. Any number of threads may call it.
void find_program() noexcept;

}  // namespace fathom::base
