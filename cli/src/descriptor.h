// Descriptor: an open file that is closed with the object.

#pragma once

#include <unistd.h>

namespace fathom::cli {

class Descriptor {
 public:
  // Of a descriptor that is one's own; below 0: none.
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int get() const { return descriptor_; }

 private:
  const int descriptor_;
};

}  // namespace fathom::cli
