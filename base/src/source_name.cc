// SourceName: stripping the folders that do not help to find a source file.

#include "source_name.h"

namespace fathom::base {

namespace {

// Of the checkout, with a slash; in the paths of debug information. Empty in releases.
constexpr std::string_view kRoot = FATHOM_SOURCE_ROOT;

}  // namespace

std::string_view source_name(std::string_view path) {
  if (!kRoot.empty() && path.starts_with(kRoot)) return path.substr(kRoot.size());
  if (!path.starts_with('/')) {
    while (path.starts_with("../")) path.remove_prefix(3);
    return path;
  }
  std::size_t at = path.size();
  for (int folders = 0; folders < 3; ++folders) {
    if (at == 0) return path;
    at = path.rfind('/', at - 1);
  }
  return path.substr(at + 1);
}

}  // namespace fathom::base
