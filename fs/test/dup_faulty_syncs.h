// A disk that cannot be written to: fsync(), syncfs() and sync_file_range() go through here, by
// --wrap.

#pragma once

#include <functional>
#include <string_view>

namespace fathom::fs {

// In effect while it lives; one at a time.
class FaultySyncs {
 public:
  // Called before each of these calls with its name and descriptor: an errno, or 0 to let it pass.
  explicit FaultySyncs(std::function<int(std::string_view call, int file)> fault);
  ~FaultySyncs();
  FaultySyncs(const FaultySyncs&) = delete;
  FaultySyncs& operator=(const FaultySyncs&) = delete;
};

}  // namespace fathom::fs
