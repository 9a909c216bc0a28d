// Nice: lowers the priority for the processor and the disk.

#pragma once

namespace fathom::cli {

// Sets nice 19 and the idle I/O class for the calling thread and for the threads that it starts
// afterwards. Returns false if the system rejects one of the two; the other one still applies.
bool be_nice();

inline constexpr const char* kNotFullyNice =
    "--nice: cannot lower both the CPU and the I/O priority";

}  // namespace fathom::cli
