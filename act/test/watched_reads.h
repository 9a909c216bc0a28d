// WatchedReads: what the program reads from files; intercepts pread() with the linker's --wrap.

#pragma once

#include <functional>
#include <string_view>

namespace fathom::act {

// Active during its lifetime; one object at a time.
class WatchedReads {
 public:
  // Called after each pread() with the bytes that it has returned.
  explicit WatchedReads(std::function<void(std::string_view bytes)> after);
  ~WatchedReads();
  WatchedReads(const WatchedReads&) = delete;
  WatchedReads& operator=(const WatchedReads&) = delete;
};

}  // namespace fathom::act
