// Compares paths by their canonical form.

#include "same_path.h"

#include <filesystem>
#include <system_error>

namespace fathom::cli {

namespace {

// Makes the path absolute first: for a path that does not exist, weakly_canonical() may return a
// relative one, depending on its spelling.
std::filesystem::path canonical_of(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
}

}  // namespace

bool is_same_path(const std::string& a, const std::string& b) {
  return canonical_of(a) == canonical_of(b);
}

}  // namespace fathom::cli
