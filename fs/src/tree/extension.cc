// extension_of: the part of a file name behind its last dot.

#include "fathom/fs/extension.h"

#include <algorithm>
#include <cstddef>

namespace fathom::fs {

std::string_view extension_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view extension = name.substr(dot + 1);
  if (extension.find('/') != std::string_view::npos) return {};
  // Dots at the beginning hide a name.
  for (std::size_t i = dot; i > 0 && name[i - 1] != '/'; --i) {
    if (name[i - 1] != '.') return extension;
  }
  return {};
}

bool same_extension(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace fathom::fs
