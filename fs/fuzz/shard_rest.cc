// Fuzzes what reads the rest of a shard: paths, one per line, of which the first is the root. They
// are refused with a base::Error, or lead into the root.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/error.h"
#include "walk/pending.h"

namespace {

// Whether the names are those of entries of directories.
bool leads_inside(const fathom::fs::Pending& pending) {
  std::vector<const fathom::fs::Pending*> waiting = {&pending};
  const auto is_name = [](std::string_view name) {
    return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos;
  };
  while (!waiting.empty()) {
    const fathom::fs::Pending& one = *waiting.back();
    waiting.pop_back();
    for (const auto& entry : one.names) {
      if (!is_name(entry.name)) return false;
    }
    for (const auto& [name, inside] : one.inside) {
      if (!is_name(name)) return false;
      waiting.push_back(&inside);
    }
  }
  return true;
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> paths;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    paths.emplace_back(line);
  }
  if (paths.empty()) return 0;
  const std::vector<std::string> root = {paths.front()};
  paths.erase(paths.begin());
  try {
    if (!leads_inside(fathom::fs::pending_in(root, paths).front())) std::abort();
  } catch (const fathom::base::Error&) {
  }
  return 0;
}
