// Engine: how the work of a scan is distributed over threads.

#pragma once

#include <cstdint>
#include <string_view>

namespace fathom::fs {

// All engines give the same result; the benchmarks compare them.
enum class Engine : std::uint8_t {
  serial,    // one thread, depth first
  pool,      // one queue, one mutex, one condition variable
  steal,     // a mutex-guarded deque per worker; idle workers steal half of another's
  lockfree,  // the runtime's executor: Chase-Lev deques and parking
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
    case Engine::lockfree:
      break;
  }
  return "lockfree";
}

}  // namespace fathom::fs
