// Registers: the registers of the code that a signal handler interrupted.

#pragma once

#include <ucontext.h>

#include <cstdint>

namespace fathom::base {

struct Registers {
  std::uintptr_t pc = 0;      // the next instruction
  std::uintptr_t sp = 0;      // the stack pointer
  std::uintptr_t caller = 0;  // the return address, after a jump to an address without code
};

// All 0 on unsupported processors.
inline Registers registers_of(const void* context) noexcept {
  Registers found;
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  found.pc = static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
  found.sp = static_cast<std::uintptr_t>(machine.gregs[REG_RSP]);
#else
  found.pc = machine.pc;
  found.sp = machine.sp;
  found.caller = machine.regs[30];
#endif
#else
  (void)context;
#endif
  return found;
}

}  // namespace fathom::base
