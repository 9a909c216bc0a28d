// Compares two open files byte by byte.

#pragma once

namespace fathom::act {

// 1: they are equal; 0: they are not; else -errno.
[[nodiscard]] int same_bytes(int a, int b);

}  // namespace fathom::act
