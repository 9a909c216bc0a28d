// Lets a test act while files are being compared: pread() goes through here, by --wrap.

#pragma once

#include <functional>

namespace fathom::fs {

// Called right before each read of the process while it lives, with the number of those before: an
// errno, or 0 to let it pass. One at a time.
class MeddledReads {
 public:
  explicit MeddledReads(std::function<int(int)> before);
  ~MeddledReads();
  MeddledReads(const MeddledReads&) = delete;
  MeddledReads& operator=(const MeddledReads&) = delete;

  // How many there were.
  [[nodiscard]] static int count();
};

}  // namespace fathom::fs
