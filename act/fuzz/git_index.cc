// Fuzzes the reader of git's index: any bytes are refused, or give paths in ascending order, which
// together are at most 32 times as long.

#include "rules/git_index.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace fathom::act {
namespace {

void check_index(std::string_view bytes) {
  for (const bool sha256 : {false, true}) {
    const auto paths = parse_git_index(bytes, sha256);
    if (!paths) continue;
    if (!std::is_sorted(paths->begin(), paths->end())) {
      std::fprintf(stderr, "the paths are not in order\n");
      std::abort();
    }
    std::size_t total = 0;
    for (const std::string& path : *paths) total += path.size();
    if (total / 32 <= bytes.size()) continue;
    std::fprintf(stderr, "the paths are much longer than the index\n");
    std::abort();
  }
}

}  // namespace
}  // namespace fathom::act

// libFuzzer requires this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fathom::act::check_index({reinterpret_cast<const char*>(data), size});
  return 0;
}
