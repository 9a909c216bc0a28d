// Patience: how long an interrupted scan may take to end.
//
// A scan ends when the kernel has answered what it was asked last. A filesystem that hangs never
// does; then the program must end without it.

#pragma once

namespace fathom::cli {

class Patience {
 public:
  static constexpr double kSeconds = 2;

  // To be asked again and again, with the scan's own time in seconds. True once the interruption
  // has been known for kSeconds.
  [[nodiscard]] bool over(bool interrupted, double now) {
    if (!interrupted) return false;
    if (since_ < 0) since_ = now;
    return now - since_ >= kSeconds;
  }

 private:
  double since_ = -1;  // when the interruption was first seen; negative: not yet
};

}  // namespace fathom::cli
