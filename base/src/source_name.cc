// SourceName: stripping the folder in which Fathom was built.

#include "source_name.h"

namespace fathom::base {

namespace {

constexpr std::string_view kThisFile = __FILE__;
constexpr std::string_view kThisName = "base/src/source_name.cc";

// The root folder of Fathom as this compiler saw it, with a trailing slash; may be empty.
constexpr std::string_view kRoot = kThisFile.ends_with(kThisName)
                                       ? kThisFile.substr(0, kThisFile.size() - kThisName.size())
                                       : std::string_view();

}  // namespace

std::string_view source_name(std::string_view path) {
  if (!kRoot.empty() && path.starts_with(kRoot)) return path.substr(kRoot.size());
  // A compiler told of files from its own folder on, as ccache does with a base_dir, names them so.
  if (path.starts_with("../")) {
    while (path.starts_with("../")) path.remove_prefix(3);
    return path;
  }
  std::size_t at = path.size();
  for (int folders = 0; folders < 3; ++folders) {
    if (at == 0) return path;
    at = path.rfind('/', at - 1);
    if (at == std::string_view::npos) return path;
  }
  return path.substr(at + 1);
}

}  // namespace fathom::base
