// Fuzzes IgnoreRules: for any rules and path, the answer is that of a slow matcher that follows
// gitignore(5) literally, and matching is fast.
//
// The text is a file of rules, a zero byte, and a path; a '/' at the path's end makes it a
// directory.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/fs/ignore.h"

namespace fathom::fs {
namespace {

// Longer texts would only slow down the slow matcher.
constexpr std::size_t kLongest = 200;

// Whether a byte other than a slash is in the set that begins at pattern[at], behind its '['. Moves
// `at` behind its ']', or to npos if the set is malformed.
bool set_has(std::string_view pattern, std::size_t& at, unsigned char byte) {
  const auto malformed = [&at] {
    at = std::string_view::npos;
    return false;
  };
  bool inverted = false;
  if (at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^')) {
    inverted = true;
    ++at;
  }
  bool found = false;
  for (bool first = true;; first = false) {
    if (at >= pattern.size()) return malformed();
    if (pattern[at] == ']' && !first) break;
    if (pattern[at] == '[' && at + 1 < pattern.size() && pattern[at + 1] == ':') {
      const std::size_t end = pattern.find(":]", at + 2);
      if (end == std::string_view::npos) {
        found = found || byte == '[';
        ++at;
        continue;
      }
      const std::string name(pattern.substr(at + 2, end - at - 2));
      const bool upper = byte >= 'A' && byte <= 'Z';
      const bool lower = byte >= 'a' && byte <= 'z';
      const bool digit = byte >= '0' && byte <= '9';
      const bool graph = byte > ' ' && byte < 0x7f;
      const bool space = byte == ' ' || (byte >= '\t' && byte <= '\r');
      bool in = false;
      if (name == "alnum") {
        in = upper || lower || digit;
      } else if (name == "alpha") {
        in = upper || lower;
      } else if (name == "blank") {
        in = byte == ' ' || byte == '\t';
      } else if (name == "cntrl") {
        in = byte < ' ' || byte == 0x7f;
      } else if (name == "digit") {
        in = digit;
      } else if (name == "graph") {
        in = graph;
      } else if (name == "lower") {
        in = lower;
      } else if (name == "print") {
        in = graph || byte == ' ';
      } else if (name == "punct") {
        in = graph && !upper && !lower && !digit;
      } else if (name == "space") {
        in = space;
      } else if (name == "upper") {
        in = upper;
      } else if (name == "xdigit") {
        in = digit || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
      } else {
        return malformed();
      }
      found = found || in;
      at = end + 2;
      continue;
    }
    if (pattern[at] == '\\' && ++at >= pattern.size()) return malformed();
    const auto low = static_cast<unsigned char>(pattern[at++]);
    auto high = low;
    if (at + 1 < pattern.size() && pattern[at] == '-' && pattern[at + 1] != ']') {
      ++at;
      if (pattern[at] == '\\' && ++at >= pattern.size()) return malformed();
      high = static_cast<unsigned char>(pattern[at++]);
    }
    found = found || (low <= byte && byte <= high);
  }
  ++at;
  return found != inverted && byte != '/';
}

bool is_well_formed(std::string_view pattern) {
  for (std::size_t at = 0; at < pattern.size();) {
    if (pattern[at] == '\\') {
      if (at + 1 == pattern.size()) return false;
      at += 2;
    } else if (pattern[at] == '[') {
      ++at;
      static_cast<void>(set_has(pattern, at, 'x'));
      if (at == std::string_view::npos) return false;
    } else {
      ++at;
    }
  }
  return true;
}

// Computes all positions in the text that each position in the pattern can reach, so that no
// backtracking is needed.
bool matches(std::string_view pattern, std::string_view text) {
  if (!is_well_formed(pattern)) return false;
  std::vector<bool> reached(text.size() + 1);  // by the pattern up to `at`
  reached[0] = true;
  for (std::size_t at = 0; at < pattern.size();) {
    std::vector<bool> next(text.size() + 1);
    std::size_t behind = at + 1;
    if (pattern[at] == '*') {
      behind = std::min(pattern.find_first_not_of('*', at), pattern.size());
      const bool alone = behind - at >= 2 && (at == 0 || pattern[at - 1] == '/');
      if (alone && behind == pattern.size()) {
        for (std::size_t i = 0; i < text.size(); ++i)
          next[text.size()] = next[text.size()] || reached[i];
      } else if (alone && pattern[behind] == '/') {
        ++behind;
        bool open = false;  // the run has begun before this position
        for (std::size_t i = 0; i <= text.size(); ++i) {
          next[i] = reached[i] || (open && text[i - 1] == '/');
          open = open || reached[i];
        }
      } else {
        bool running = false;
        for (std::size_t i = 0; i <= text.size(); ++i) {
          running = reached[i] || (running && text[i - 1] != '/');
          next[i] = running;
        }
      }
    } else {
      for (std::size_t i = 0; i < text.size(); ++i) {
        bool accepted = false;
        if (pattern[at] == '?') {
          accepted = text[i] != '/';
        } else if (pattern[at] == '[') {
          behind = at + 1;
          accepted = set_has(pattern, behind, static_cast<unsigned char>(text[i]));
        } else if (pattern[at] == '\\') {
          behind = at + 2;
          accepted = text[i] == pattern[at + 1];
        } else {
          accepted = text[i] == pattern[at];
        }
        next[i + 1] = accepted && reached[i];
      }
      if (text.empty()) return false;
    }
    reached = std::move(next);
    at = behind;
  }
  return reached[text.size()];
}

// 1: the line excludes it, 0: it includes it again, -1: it does not match.
int says(std::string line, std::string_view path, bool directory) {
  if (line.empty() || line[0] == '#') return -1;
  if (line.back() == '\r') line.pop_back();
  // Trailing blanks do not count, except one that a backslash quotes.
  while (!line.empty() && line.back() == ' ') {
    std::size_t backslashes = 0;
    for (std::size_t i = line.size() - 1; i > 0 && line[i - 1] == '\\'; --i) ++backslashes;
    if (backslashes % 2 == 1) break;
    line.pop_back();
  }
  int answer = 1;
  if (line.starts_with('!')) {
    answer = 0;
    line.erase(0, 1);
  }
  if (line.ends_with('/')) {
    if (!directory) return -1;
    line.pop_back();
  }
  if (line.empty()) return -1;
  if (line.find('/') == std::string::npos) path = path.substr(path.rfind('/') + 1);
  if (line.starts_with('/')) line.erase(0, 1);
  return matches(line, path) ? answer : -1;
}

bool ignores(std::string_view rules, std::string_view path, bool directory) {
  if (rules.starts_with("\xef\xbb\xbf")) rules.remove_prefix(3);
  bool ignored = false;
  while (!rules.empty()) {
    const std::size_t end = std::min(rules.find('\n'), rules.size());
    const int answer = says(std::string(rules.substr(0, end)), path, directory);
    if (answer >= 0) ignored = answer == 1;
    rules.remove_prefix(std::min(end + 1, rules.size()));
  }
  return ignored;
}

void check(std::string_view text) {
  const std::size_t end = text.find('\0');
  if (end == std::string_view::npos) return;
  const std::string_view rules = text.substr(0, end);
  std::string_view path = text.substr(end + 1);
  const bool directory = path.ends_with('/');
  if (directory) path.remove_suffix(1);
  // No path in a tree has such names.
  if (path.empty() || path.starts_with('/') || path.ends_with('/')) return;
  if (path.find('\0') != path.npos || path.find("//") != path.npos) return;
  IgnoreRules made;
  made.add_text(rules);
  const bool got = made.ignores(path, directory);
  if (rules.size() > kLongest || path.size() > kLongest) return;
  if (got == ignores(rules, path, directory)) return;
  std::fprintf(stderr, "the rules and the slow matcher differ\n");
  std::abort();
}

}  // namespace
}  // namespace fathom::fs

// libFuzzer requires this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fathom::fs::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
