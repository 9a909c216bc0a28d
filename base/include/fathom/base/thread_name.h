// What debuggers, top and /proc call the calling thread.

#pragma once

#include <string>
#include <string_view>

#ifdef __linux__
#include <pthread.h>
#endif

namespace fathom::base {

// As one of several: "walker" and 3 as "walker/3". The name is cut, so that both fit into the 15
// bytes that Linux has room for. Elsewhere, and where the system refuses, nothing changes.
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
