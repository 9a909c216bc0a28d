// Filesystems with fewer acts on names: intercepts linkat(), unlinkat(), renameat() and renameat2()
// with the linker's --wrap.

#pragma once

namespace fathom::act {

enum class Names {
  stay,      // none can be removed, as in a directory after chattr +a
  move_only  // no second names, and rename() may replace a name: some filesystems in user space
};

// Active during its lifetime; one object at a time.
class FaultyNames {
 public:
  explicit FaultyNames(Names names);
  ~FaultyNames();
  FaultyNames(const FaultyNames&) = delete;
  FaultyNames& operator=(const FaultyNames&) = delete;
};

}  // namespace fathom::act
