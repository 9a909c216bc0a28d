// Registers: what a signal handler is told of the code that it interrupts.

#pragma once

#include <ucontext.h>

#include <cstdint>

namespace fathom::base {

struct Registers {
  std::uintptr_t pc = 0;      // the next instruction
  std::uintptr_t sp = 0;      // the end of the stack
  std::uintptr_t caller = 0;  // if code is called that is not there: where it would return to
};

// All 0 on processors that are not known here.
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
