// Nice: leaves the processor and the disk to others.

#pragma once

namespace fathom::cli {

// The calling thread, and those that it starts afterwards, run when no one else wants the processor
// or the disk: nice 19 and the idle class of I/O. False if the system refuses a part; the rest
// holds.
bool be_nice();

inline constexpr const char* kNotFullyNice =
    "--nice: cannot lower both the CPU and the I/O priority";

}  // namespace fathom::cli
