// CrashReport: what a program says when a signal ends it.
//
// For SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT: the signal, the address, the thread, and the
// calls as modules and offsets, with the commands that turn these into functions and lines. Then
// the program ends as it would have without: by the same signal, with a core dump where there are
// any.
//
// The handler allocates nothing, takes no lock and writes with write() alone, so that it also works
// when the crash is within malloc(); see base/src/unwound.h for what that asks of the system.
// Several threads that crash at once make one report.
//
//   int main() {
//     report_crashes();
//   }
//   void run_thread() {
//     const CrashStack stack;  // reports a stack overflow of this thread, too (crash_stack.h)
//   }
//
// What was there before report_crashes(), such as a handler of the program's own, is called
// afterwards. If it lets the program live, later crashes are reported as well, but those of the
// same signal are its alone. Under AddressSanitizer and ThreadSanitizer it does nothing: theirs
// tell more.

#pragma once

#include "fathom/base/crash_stack.h"

namespace fathom::base {

// For the whole program, written to the descriptor. The calling thread gets a CrashStack for the
// rest of its life. A second call does nothing. Throws SystemError.
void report_crashes(int descriptor = 2);

}  // namespace fathom::base
