// CrashReport: prints a stack trace when a fatal signal ends the program.
//
// For SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP and SIGABRT it prints the signal, the address, the
// thread, and the stack as modules and offsets, with the addr2line commands that turn these into
// functions and lines. Then the program ends by the same signal as without the report, with a core
// dump if core dumps are enabled.
//
// The handler does not allocate, takes no lock and only uses write(), so that it works even when
// the crash is within malloc(). base/src/unwound.h says what this requires of the system. If
// several threads crash at the same time, there is one report.
//
//   int main() {
//     report_crashes();
//   }
//   void run_thread() {
//     const CrashStack stack;  // reports a stack overflow of this thread, too (crash_stack.h)
//   }
//
// A handler that was installed before report_crashes() is called afterwards. If it lets the program
// continue, later crashes are reported as well, except those of the same signal, which only that
// handler sees. Under AddressSanitizer and ThreadSanitizer report_crashes() does nothing: their
// reports say more.

#pragma once

#include "fathom/base/crash_stack.h"

namespace fathom::base {

// Installs the handler for the whole program; reports go to the descriptor. The calling thread gets
// a CrashStack for the rest of its life. A second call does nothing. Throws SystemError.
void report_crashes(int descriptor = 2);

}  // namespace fathom::base
