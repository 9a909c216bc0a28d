// Headline: formatting the totals of a scan.

#include "view/headline.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fathom/base/saturating.h"
#include "term/label.h"
#include "term/number.h"
#include "term/paint.h"
#include "term/wrapped.h"
#include "view/scan_messages.h"

namespace fathom::cli {

namespace {

// Phrases of a line, each of which stays on one line. Following lines are indented by the margin.
std::string unbroken(const std::vector<std::string>& phrases, std::size_t margin,
                     unsigned columns) {
  Wrapped text(static_cast<unsigned>(margin), columns);
  for (const std::string& phrase : phrases) text.add_word(phrase, Label(phrase, true).width());
  return text.text();
}

// "entries:", "2 files,", "1 directory"
std::vector<std::string> kinds(const fs::Counts& counts) {
  std::vector<std::string> phrases = {counts.entries() == 1 ? "entry:" : "entries:"};
  const auto add = [&phrases](std::uint64_t number, std::string_view one, std::string_view many) {
    if (number == 0) return;
    if (phrases.size() > 1) phrases.back() += ',';
    phrases.push_back(counted(number, one, many));
  };
  add(counts.files, "file", "files");
  add(counts.dirs, "directory", "directories");
  add(counts.symlinks, "symlink", "symlinks");
  add(counts.others, "other", "others");
  return phrases;
}

// ---- Sparse files

// A file whose blocks take less than an eighth of its size. Compression seldom saves as much.
constexpr std::uint64_t kSparseRatio = 8;

struct SparseFiles {
  std::uint64_t files = 0;
  std::uint64_t saved = 0;  // bytes that they take less on disk than their size
};

SparseFiles sparse_files(const fs::Tree& tree) {
  SparseFiles found;
  tree.for_each_node([&](fs::NodeId node) {
    if (tree.kind(node) != fs::Kind::file) return;
    if ((tree.flags(node) & (fs::kRepeated | fs::kExtraLink)) != 0) return;
    const fs::Entry sizes{.size = tree.size(node), .blocks = tree.blocks(node)};
    if (sizes.disk_bytes() >= sizes.size / kSparseRatio) return;
    ++found.files;
    found.saved = base::saturating_add(found.saved, sizes.size - sizes.disk_bytes());
  });
  return found;
}

// "3 sparse files", if these are why the apparent size is at least twice the usage; empty if it is
// not.
std::string why_apparent_is_larger(const fs::Tree& tree, const fs::Counts& whole) {
  constexpr std::uint64_t kSlight = 1 << 20;  // bytes
  const std::uint64_t disk = whole.disk_bytes;
  if (whole.apparent_bytes / 2 < disk || whole.apparent_bytes - disk < kSlight) return "";
  const SparseFiles sparse = sparse_files(tree);
  const bool explained = sparse.saved >= (whole.apparent_bytes - disk) / 4 * 3;
  return explained ? counted(sparse.files, "sparse file", "sparse files")
                   : "sparse or compressed files";
}

}  // namespace

std::string headline(const fs::Scan& scan, const fs::Totals& totals, const View& view) {
  const fs::Counts& whole = totals.whole();
  const bool bound = scan.cancelled || unread_entries(scan) != 0;
  const std::string disk = base::format_bytes(whole.disk_bytes, view.units);
  const std::string entries = grouped(whole.entries());
  const std::string time = duration(scan.seconds);
  const std::size_t widest = std::max({disk.size(), entries.size(), time.size()});
  const std::size_t margin = 2 + (bound ? 1 : 0) + widest + 2;
  struct Line {
    std::string figure;
    std::string meaning;
  };
  const Paint paint(view.terminal.color);
  const std::string mark = bound ? paint(Tone::warning, view.lower_bound_mark()) : "";
  const std::string why = why_apparent_is_larger(scan.tree, whole);
  std::vector<std::string> sizes = {
      "on disk,", (bound ? std::string(view.lower_bound_mark()) : "") +
                      base::format_bytes(whole.apparent_bytes, view.units) + " apparent"};
  if (!why.empty()) {
    sizes.back() += ':';
    sizes.push_back(why);
  }
  const Line lines[] = {
      {disk, unbroken(sizes, margin, view.terminal.width)},
      {entries, unbroken(kinds(whole), margin, view.terminal.width)},
      {time, rate_of(whole.entries(), scan.seconds)},
  };
  std::string text;
  for (const Line& line : lines) {
    const std::string_view gap = bound ? " " : "";
    text += "  " + (&line == lines ? mark : std::string(gap));
    text += paint(Tone::strong, right(line.figure, widest)) + "  " + line.meaning + '\n';
  }
  return text;
}

std::string plain_headline(const fs::Scan& scan, const fs::Totals& totals, const View& view) {
  const fs::Counts& whole = totals.whole();
  const bool bound = scan.cancelled || unread_entries(scan) != 0;
  const std::string mark = bound ? "at least " : "";
  std::string text = "On disk: " + mark + base::format_bytes(whole.disk_bytes, view.units) + '\n';
  text += "Apparent size: " + mark + base::format_bytes(whole.apparent_bytes, view.units) + '\n';
  const auto add = [&](std::string_view name, std::uint64_t number) {
    text += std::string(name) + ": " + mark + grouped(number) + '\n';
  };
  add("Entries", whole.entries());
  add("Files", whole.files);
  add("Directories", whole.dirs);
  add("Symbolic links", whole.symlinks);
  add("Others", whole.others);
  const std::string why = why_apparent_is_larger(scan.tree, whole);
  if (!why.empty()) text += "The apparent size is larger because of " + why + ".\n";
  return text + "Time: " + duration(scan.seconds) + '\n';
}

}  // namespace fathom::cli
