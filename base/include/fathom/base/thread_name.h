// ThreadName: the name of the calling thread in debuggers, top and /proc.

#pragma once

#include <string>
#include <string_view>

#ifdef __linux__
#include <pthread.h>
#endif

namespace fathom::base {

// Combines a name and an index: "walker" and 3 become "walker/3". The name is truncated so that
// both fit into the 15 bytes that Linux allows. Does nothing on other systems, or if the system
// refuses.
inline void name_this_thread([[maybe_unused]] std::string_view name,
                             [[maybe_unused]] unsigned index) {
#ifdef __linux__
  constexpr std::size_t kMostBytes = 15;
  const std::string number = "/" + std::to_string(index);
  const std::string full = std::string(name.substr(0, kMostBytes - number.size())) + number;
  ::pthread_setname_np(::pthread_self(), full.c_str());
#endif
}

}  // namespace fathom::base
