// The events of fanotify, as read(2) returns them for a queue that reports file handles
// (fanotify(7) describes the layout).

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fathom::fs {

// A file handle as open_by_handle_at(2) takes it: its size and type, 4 bytes each, then the rest.
using HandleBytes = std::span<const std::byte>;
inline constexpr std::size_t kLongestHandle = 8 + 128;

// Something that may have changed.
struct ChangedHandle {
  std::uint64_t filesystem = 0;  // the f_fsid of statfs(2)
  HandleBytes handle;            // a part of the events
};

struct Events {
  std::vector<ChangedHandle> changed;
  bool missed = false;  // reports were lost, or something cannot be understood
};

// Collects what changed: if names did, their directory and what has or had the name, otherwise only
// what the event is about. Makes no system calls, and accepts any bytes.
[[nodiscard]] Events parse_events(std::span<const std::byte> bytes);

}  // namespace fathom::fs
