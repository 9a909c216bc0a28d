// ThreadNames: numbers for thread names, which remain valid after the threads end.

#pragma once

#include <cstdint>
#include <string>

namespace fathom::diag {

// The number of the calling thread's name, as it is at the first call: counts from 1, the same for
// equal names; 0 if memory runs out. Cheap from the second call on.
[[nodiscard]] std::uint32_t own_thread_name() noexcept;

[[nodiscard]] std::string thread_name(std::uint32_t number);

// For use around a fork, on its thread: blocks both functions above.
void lock_thread_names();
void unlock_thread_names();

}  // namespace fathom::diag
