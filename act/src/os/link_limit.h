// How many names a file may have.

#pragma once

#include <cstdint>

namespace fathom::act {

// For an open file, by its filesystem; 0: unknown, or there is no practical limit. The result of
// link() is authoritative; this is for dry runs, which must not call it.
[[nodiscard]] std::uint64_t link_limit(int file);

}  // namespace fathom::act
