// Concurrency: how many threads to start, given what the system allows this process to use.
//
//   rt::Executor executor({.threads = rt::default_concurrency()});

#pragma once

#include <optional>
#include <string>

namespace fathom::rt {

// The minimum of the number of CPUs in this thread's affinity mask (sched_getaffinity) and the CPU
// bandwidth of its control groups, rounded up; at least 1. Each call queries the system.
[[nodiscard]] unsigned default_concurrency() noexcept;

// The number of CPUs in this thread's affinity mask alone, at least 1: one system call.
[[nodiscard]] unsigned usable_processors() noexcept;

// The CPU bandwidth that the control groups of this process allow, in CPUs, rounded up; at least 1.
// nullopt if there is no limit.
//
// Reads cpu.max (version 2), or cpu.cfs_quota_us and cpu.cfs_period_us (version 1), of the
// process's group and of each of its ancestors, and returns the minimum. Files that are missing,
// unreadable or malformed set no limit. `root` is prepended to /proc and /sys/fs/cgroup, for tests.
[[nodiscard]] std::optional<unsigned> cgroup_cpu_limit(const std::string& root = "");

}  // namespace fathom::rt
