// less_by_names: an order of paths in which those below a directory follow it immediately.

#pragma once

#include <algorithm>
#include <string_view>

namespace fathom::act {

[[nodiscard]] inline bool less_by_names(std::string_view a, std::string_view b) {
  const auto rank = [](char byte) {
    return byte == '/' ? 0 : static_cast<unsigned char>(byte) + 1;
  };
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [&](char x, char y) { return rank(x) < rank(y); });
}

}  // namespace fathom::act
