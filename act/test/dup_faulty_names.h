// A directory from which no name can be removed, such as one after chattr +a: intercepts
// unlinkat(), renameat() and renameat2() with the linker's --wrap.

#pragma once

namespace fathom::act {

// Active during its lifetime; one object at a time.
class NamesStay {
 public:
  NamesStay();
  ~NamesStay();
  NamesStay(const NamesStay&) = delete;
  NamesStay& operator=(const NamesStay&) = delete;
};

}  // namespace fathom::act
