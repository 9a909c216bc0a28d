// CrashSignals: how the other files of base control report_crashes().

#pragma once

namespace fathom::base {

// Suppresses the report of the abort() that follows, because its cause has already been printed.
void leave_abort_alone() noexcept;

}  // namespace fathom::base
