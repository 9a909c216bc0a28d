// SourceName: stripping the folders that do not help to find a source file.

#include "source_name.h"

// Defined by the tests of a release, which have debug information: see testing/source_root.cc.
extern "C" [[gnu::weak]] const char* fathom_source_root();

namespace fathom::base {

namespace {

// Of the checkout, with a slash; in the paths of debug information. Empty in releases.
constexpr std::string_view kRoot = FATHOM_SOURCE_ROOT;

std::string_view source_root() {
  return kRoot.empty() && fathom_source_root != nullptr ? fathom_source_root() : kRoot;
}

}  // namespace

std::string_view source_name(std::string_view path) {
  const std::string_view root = source_root();
  if (!root.empty() && path.starts_with(root)) return path.substr(root.size());
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
