// StuckDirectories: which directories a person has been told of that they hang.

#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace fathom::cli {

class StuckDirectories {
 public:
  // Of these the ones that were not among any before, in the order of their paths.
  [[nodiscard]] std::vector<std::string> news(const std::vector<std::string>& stuck) {
    std::vector<std::string> fresh;
    for (const std::string& directory : stuck) {
      if (told_.insert(directory).second) fresh.push_back(directory);
    }
    std::sort(fresh.begin(), fresh.end());
    return fresh;
  }

 private:
  std::set<std::string> told_;
};

}  // namespace fathom::cli
