// free_space: what df shows as available.

#pragma once

#include <cstdint>
#include <optional>

namespace fathom::act {

// Bytes that are free on the filesystem of an open directory, for root and others together.
[[nodiscard]] std::optional<std::uint64_t> free_space(int folder);

}  // namespace fathom::act
