// A disk that fails to write: intercepts fsync(), syncfs() and sync_file_range() with the linker's
// --wrap.

#pragma once

#include <functional>
#include <string_view>

namespace fathom::act {

// Active during its lifetime; one object at a time.
class FaultySyncs {
 public:
  // Called before each of these calls with its name and descriptor; returns an errno, or 0 to let
  // it pass.
  explicit FaultySyncs(std::function<int(std::string_view call, int file)> fault);
  ~FaultySyncs();
  FaultySyncs(const FaultySyncs&) = delete;
  FaultySyncs& operator=(const FaultySyncs&) = delete;
};

}  // namespace fathom::act
