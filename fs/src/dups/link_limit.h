// How many names a file may get.

#pragma once

#include <cstdint>

namespace fathom::fs {

// Of an open file, by its filesystem; 0: that is not known, or there is no limit that matters. What
// counts is what link() says: this is for those who may not ask it.
[[nodiscard]] std::uint64_t link_limit(int file);

}  // namespace fathom::fs
