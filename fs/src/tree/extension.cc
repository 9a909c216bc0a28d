// extension_of: the part of a file name behind its last dot.

#include "fathom/fs/extension.h"

#include <algorithm>
#include <cstddef>

namespace fathom::fs {

std::string_view extension_of(std::string_view name) {
  name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
  name.remove_prefix(std::min(name.find_first_not_of('.'), name.size()));
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1);
}

bool same_extension(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace fathom::fs
