// ThreadNames: names of threads by number, which stay when the threads are gone.

#pragma once

#include <cstdint>
#include <string>

namespace fathom::diag {

// The number of the calling thread's name, as it is at the first call: from 1 on, the same for the
// same name; 0 when there is no memory. Cheap from the second call on.
[[nodiscard]] std::uint32_t own_thread_name() noexcept;

[[nodiscard]] std::string thread_name(std::uint32_t number);

// Around a fork, on its thread: both functions above wait meanwhile.
void lock_thread_names();
void unlock_thread_names();

}  // namespace fathom::diag
