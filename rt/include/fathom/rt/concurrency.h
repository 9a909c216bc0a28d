// How many threads are worth having: what the system lets this process use at the same time.
//
//   rt::Executor executor({.threads = rt::default_concurrency()});

#pragma once

#include <optional>
#include <string>

namespace fathom::rt {

// The least of the processors that this thread may run on (sched_getaffinity) and the CPU bandwidth
// that its control groups allow, rounded up; at least 1. Asks the system each time.
[[nodiscard]] unsigned default_concurrency() noexcept;

// How many processors' worth of time the control groups of this process allow, rounded up and at
// least 1; nothing where they set no limit.
//
// Reads cpu.max (version 2), cpu.cfs_quota_us and cpu.cfs_period_us (version 1) of the group of
// the process and of each group above it, and takes the least. What is missing, unreadable or
// malformed sets no limit. `root` stands in front of /proc and /sys/fs/cgroup, for tests.
[[nodiscard]] std::optional<unsigned> cgroup_cpu_limit(const std::string& root = "");

}  // namespace fathom::rt
