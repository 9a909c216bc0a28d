// NameMatcher: a search for a literal of the query, then the glob.

#include "fathom/fs/name_matcher.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace fathom::fs {

namespace {

constexpr std::array<char, 256> kLower = [] {
  std::array<char, 256> lower{};
  for (std::size_t byte = 0; byte < lower.size(); ++byte) {
    const bool upper = byte >= 'A' && byte <= 'Z';
    lower[byte] = static_cast<char>(upper ? byte - 'A' + 'a' : byte);
  }
  return lower;
}();

char lower_of(char byte) {
  return kLower[static_cast<unsigned char>(byte)];
}

// Of a byte that is folded already.
char upper_of(char byte) {
  return byte >= 'a' && byte <= 'z' ? static_cast<char>(byte - 'a' + 'A') : byte;
}

void fold(std::string_view text, std::string& folded) {
  folded.resize(text.size());
  std::transform(text.begin(), text.end(), folded.begin(), lower_of);
}

bool is_pattern(std::string_view query) {
  if (query.find_first_of("*?") != std::string_view::npos) return true;
  const std::size_t open = query.find('[');
  return open != std::string_view::npos && query.find(']', open) != std::string_view::npos;
}

// Replaces the classes of lower-case and upper-case letters by the class of all letters.
void widen_classes(std::string& pattern) {
  constexpr std::string_view kAny = "[:alpha:]";
  for (const std::string_view narrow : {"[:upper:]", "[:lower:]"}) {
    for (std::size_t at = 0; (at = pattern.find(narrow, at)) != std::string::npos;) {
      pattern.replace(at, narrow.size(), kAny);
    }
  }
}

// The longest literal in a pattern: every matching name contains it. Ignores the pattern from the
// first bracket or backslash on, and splits at slashes, which no name contains.
std::string literal_of(std::string_view pattern) {
  pattern = pattern.substr(0, pattern.find_first_of("[\\"));
  std::string_view longest;
  while (!pattern.empty()) {
    const std::string_view piece = pattern.substr(0, pattern.find_first_of("*?/"));
    if (piece.size() > longest.size()) longest = piece;
    pattern.remove_prefix(std::min(piece.size() + 1, pattern.size()));
  }
  return std::string(longest);
}

}  // namespace

NameMatcher::NameMatcher(std::string_view query, Query meant) {
  fold(query, text_);
  if (meant == Query::any && !is_pattern(query)) return;
  widen_classes(text_);
  glob_.emplace(text_);
  text_ = literal_of(text_);
}

bool NameMatcher::operator()(std::string_view name) {
  if (!contains_text(name)) return false;
  if (!glob_) return true;
  fold(name, folded_);
  return glob_->matches(folded_);
}

bool NameMatcher::contains_text(std::string_view name) const {
  if (text_.empty()) return true;
  if (name.size() < text_.size()) return false;
  const std::string_view rest = std::string_view(text_).substr(1);
  const std::string_view starts = name.substr(0, name.size() - rest.size());
  const char lower = text_.front();
  const char upper = upper_of(lower);
  // The next places of the two forms of the first byte. The library looks for a byte faster than a
  // loop does, and most names contain only one of the two forms, if any.
  std::size_t as_lower = starts.find(lower);
  std::size_t as_upper = upper == lower ? std::string_view::npos : starts.find(upper);
  while (true) {
    const std::size_t at = std::min(as_lower, as_upper);
    if (at == std::string_view::npos) return false;
    if (std::equal(rest.begin(), rest.end(), name.data() + at + 1,
                   [](char wanted, char byte) { return wanted == lower_of(byte); })) {
      return true;
    }
    if (at == as_lower) {
      as_lower = starts.find(lower, at + 1);
    } else {
      as_upper = starts.find(upper, at + 1);
    }
  }
}

}  // namespace fathom::fs
