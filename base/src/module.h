// Module: the program or shared library that a code address belongs to.
//
// With _dl_find_object() (glibc 2.35 and later), a look-up is safe in a signal handler once
// find_program() has been called.

#pragma once

#include <cstdint>

namespace fathom::base {

struct Module {
  const char* path = nullptr;  // nullptr: not in a module; lives as long as the module
  std::uintptr_t base = 0;     // load address minus the address in the file
};

[[nodiscard]] Module module_of(std::uintptr_t address) noexcept;

// Finds and stores the path of the program. Several threads may call it at the same time.
void find_program() noexcept;

}  // namespace fathom::base
