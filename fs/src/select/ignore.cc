// IgnoreRules: parses the lines, and applies them from the last to the first.

#include "fathom/fs/ignore.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

namespace fathom::fs {

namespace {

// Without trailing spaces, unless a backslash quotes them.
std::string_view trimmed(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::size_t keep = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '\\') {
      at += at + 1 < line.size() ? 1 : 0;
      keep = at + 1;
    } else if (line[at] != ' ') {
      keep = at + 1;
    }
  }
  return line.substr(0, keep);
}

}  // namespace

void IgnoreRules::add_text(std::string_view text) {
  text_hash_ = XXH3_64bits_withSeed(text.data(), text.size(), text_hash_) | 1;
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    add_line(line);
  }
}

void IgnoreRules::add_line(std::string_view line) {
  if (line.starts_with('#')) return;
  line = trimmed(line);
  const bool negated = line.starts_with('!');
  if (negated) line.remove_prefix(1);
  const bool directories_only = line.ends_with('/');
  if (directories_only) line.remove_suffix(1);
  if (line.empty()) return;
  const bool whole_path = line.find('/') != std::string_view::npos;
  if (line.starts_with('/')) line.remove_prefix(1);
  rules_.push_back({Glob(line), whole_path, directories_only, negated});
  need_paths_ = need_paths_ || whole_path;
}

bool IgnoreRules::ignores(std::string_view path, bool directory) const {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const auto decisive = std::find_if(rules_.rbegin(), rules_.rend(), [&](const Rule& rule) {
    return (directory || !rule.directories_only) &&
           rule.glob.matches(rule.whole_path ? path : name);
  });
  return decisive != rules_.rend() && !decisive->negated;
}

}  // namespace fathom::fs
