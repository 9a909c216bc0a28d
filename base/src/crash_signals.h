// CrashSignals: what else in base knows of report_crashes().

#pragma once

namespace fathom::base {

// The abort() that follows has been told of already.
void leave_abort_alone() noexcept;

}  // namespace fathom::base
