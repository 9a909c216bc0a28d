#include "same_path.h"

#include <filesystem>
#include <system_error>

namespace fathom::cli {

namespace {

// Absolute first: what does not exist stays relative otherwise, or does not, as it is spelt.
std::filesystem::path canonical_of(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
}

}  // namespace

bool is_same_path(const std::string& a, const std::string& b) {
  return canonical_of(a) == canonical_of(b);
}

}  // namespace fathom::cli
