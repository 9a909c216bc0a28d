// InterruptGrace: how long an interrupted scan may take to end.
//
// A scan ends when the kernel has completed the current system calls. On a filesystem that hangs
// they never complete; the program must then end without them.

#pragma once

namespace fathom::cli {

class InterruptGrace {
 public:
  static constexpr double kSeconds = 2;

  // Call this repeatedly, with the time of the scan in seconds. True once the interruption has been
  // known for kSeconds.
  [[nodiscard]] bool over(bool interrupted, double now) {
    if (!interrupted) return false;
    if (since_ < 0) since_ = now;
    return now - since_ >= kSeconds;
  }

 private:
  double since_ = -1;  // when the interruption was first seen; negative: not yet
};

}  // namespace fathom::cli
