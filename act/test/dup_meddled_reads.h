// Lets a test interfere while files are being compared: intercepts pread() with the linker's
// --wrap.

#pragma once

#include <functional>

namespace fathom::act {

// Calls the function right before each read of a compared file during its lifetime, with the number
// of previous reads. The function returns an errno, or 0 to let the read pass. One object at a
// time.
class MeddledReads {
 public:
  explicit MeddledReads(std::function<int(int)> before);
  ~MeddledReads();
  MeddledReads(const MeddledReads&) = delete;
  MeddledReads& operator=(const MeddledReads&) = delete;

  // How many reads there were.
  [[nodiscard]] static int count();
};

}  // namespace fathom::act
