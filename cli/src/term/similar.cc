// Similar: the optimal string alignment distance (restricted Damerau-Levenshtein), by dynamic
// programming over three rows.

#include "term/similar.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace fathom::cli {

namespace {

// The number of letters to insert, delete, change, or swap with the next one to turn b into a.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last.back();
}

}  // namespace

std::optional<std::string> similar(std::string_view word, std::span<const std::string> known) {
  constexpr std::size_t kLongest = 64;  // letters; all known words are shorter
  if (word.size() > kLongest) return std::nullopt;
  const std::size_t most = word.size() <= 5 ? 1 : 2;
  std::optional<std::string> best;
  std::size_t least = most + 1;
  for (const std::string& candidate : known) {
    const std::size_t away = distance(word, candidate);
    if (away >= least) continue;
    least = away;
    best = candidate;
  }
  return best;
}

}  // namespace fathom::cli
