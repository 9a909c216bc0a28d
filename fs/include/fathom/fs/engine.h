// Engine: how the work of a scan is distributed over threads.

#pragma once

#include <cstdint>
#include <string_view>

namespace fathom::fs {

// All engines give the same result; the benchmarks compare them. The first four walk. The others
// read filesystems of their type in bulk where that is possible, and walk the rest like lockfree:
// docs/ENGINES.md.
enum class Engine : std::uint8_t {
  serial,     // one thread, depth first
  pool,       // one queue, one mutex, one condition variable
  steal,      // a mutex-guarded deque per worker; idle workers steal half of another's
  lockfree,   // the runtime's executor: Chase-Lev deques and parking
  automatic,  // btrfs, ext4 or xfs where they are worth it
  btrfs,
  ext4,
  xfs,
};

// The name of the enumerator.
[[nodiscard]] constexpr std::string_view to_string(Engine engine) {
  switch (engine) {
    case Engine::serial:
      return "serial";
    case Engine::pool:
      return "pool";
    case Engine::steal:
      return "steal";
    case Engine::automatic:
      return "auto";
    case Engine::btrfs:
      return "btrfs";
    case Engine::ext4:
      return "ext4";
    case Engine::xfs:
      return "xfs";
    case Engine::lockfree:
      break;
  }
  return "lockfree";
}

}  // namespace fathom::fs
