// InfoPanel: facts as lines.

#include "screen/info_panel.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/fs/kind_words.h"
#include "fathom/fs/report.h"
#include "fathom/text/label.h"
#include "fathom/text/number.h"
#include "fathom/text/pieces.h"
#include "screen/entry_table.h"
#include "screen/finding_table.h"
#include "screen/words.h"

namespace fathom::tui {

namespace {

using Lines = std::vector<std::pair<std::string_view, std::string>>;

constexpr unsigned kTitleWidth = 12;

std::string_view why_excluded(fs::Excluded why) {
  switch (why) {
    case fs::Excluded::pattern:
      return "excluded by a rule";
    case fs::Excluded::cache:
      return "excluded: a cache";
    case fs::Excluded::kernel_filesystem:
      return "excluded: a filesystem of the kernel";
    case fs::Excluded::other_filesystem:
      return "excluded: another filesystem";
  }
  return "excluded";
}

std::string mode_text(std::uint16_t mode) {
  constexpr std::string_view kBits = "rwxrwxrwx";
  std::string text;
  for (unsigned i = 0; i < 9; ++i) text += (mode >> (8 - i) & 1U) != 0 ? kBits[i] : '-';
  if ((mode & 04000U) != 0) text[2] = 's';
  if ((mode & 02000U) != 0) text[5] = 's';
  if ((mode & 01000U) != 0) text[8] = 't';
  return text;
}

fs::Freed::Sums sums_of(const State& state, const Listing::Row& row) {
  const fs::Chosen entry{row.node, row.directory};
  return state.extras->freed.by({&entry, 1});
}

// "≥ " in front of the sums of a directory that has more than was found.
std::string least_of(const State& state, const Listing::Row& row) {
  const bool bound = row.directory != fs::kNoDir && state.facts->lower_bound(row.directory);
  return std::string(bound ? at_least(state) : "");
}

std::string freed_text(const State& state, const Listing::Row& row) {
  if (state.extras == nullptr || state.extras->facts != state.facts) return "counting";
  const fs::Freed::Sums sums = sums_of(state, row);
  std::string text = least_of(state, row);
  text += bytes_text(state, sums.exclusive.disk_bytes) + " if deleted alone";
  const std::uint64_t shared = sums.counted.disk_bytes - sums.exclusive.disk_bytes;
  if (shared > 0) text += "; " + bytes_text(state, shared) + " also have names elsewhere";
  return text;
}

void add_directory_lines(const State& state, const Listing::Row& row, Lines& lines) {
  const fs::Counts counts = state.facts->totals().below(row.directory);
  lines.emplace_back(
      "Contains",
      least_of(state, row) + text::counted(counts.files, "file", "files") + ", " +
          text::counted(counts.dirs == 0 ? 0 : counts.dirs - 1, "directory", "directories") + ", " +
          text::counted(counts.symlinks, "link", "links") + ", " +
          text::counted(counts.others, "other", "others"));
  lines.emplace_back("Last change",
                     moment_text(state.facts->newest().below(row.directory), state.facts->now()));
}

// Why the entry is a candidate of `fathom clean`.
void add_rule_lines(const State& state, const act::Candidate& candidate, Lines& lines) {
  const bool unicode = state.settings.unicode;
  lines.emplace_back("Rule", candidate.rule->id + ": " + candidate.rule->title);
  lines.emplace_back("Class", std::string(act::to_string(candidate.cls)));
  for (const std::string& why : candidate.demotions) {
    lines.emplace_back("", text::safe(why, unicode));
  }
  std::string_view title = "Because";
  for (const std::string& sentence : candidate.rule->sentences()) {
    lines.emplace_back(std::exchange(title, ""), text::safe(sentence, unicode));
  }
  if (!candidate.rebuild.empty()) {
    lines.emplace_back("Made again", "by " + text::safe(candidate.rebuild, unicode));
  }
  if (!candidate.command.empty()) {
    lines.emplace_back("Removed by", text::safe(candidate.command, unicode));
  }
}

void add_skipped_lines(const State& state, Lines& lines) {
  const FindingList* const list = findings_on_screen(state);
  if (list == nullptr || state.cursor().at >= list->size()) return;
  const Finding* const item = list->item(state.cursor().at);
  const bool skipped = list->group(state.cursor().at).kind == FindingGroup::Kind::skipped;
  if (item == nullptr || !skipped) return;
  const act::SkippedCandidate& one = list->findings()->ruled->found.skipped[item->detail];
  lines.emplace_back("Rule", one.rule->id + ": " + one.rule->title);
  lines.emplace_back("Skipped", "it " + text::safe(one.why, state.settings.unicode));
}

Lines lines_of(const State& state, const Listing::Row& row) {
  Lines lines;
  if (row.excluded != nullptr) {
    lines.emplace_back("Name", text::escaped(row.excluded->name, state.settings.unicode));
    lines.emplace_back("Status", std::string(why_excluded(row.excluded->why)) + "; not scanned");
    return lines;
  }
  const fs::Tree& tree = state.facts->tree();
  const fs::Entry entry = tree.entry(row.node);
  lines.emplace_back("Path", text::escaped(tree.path(row.node), state.settings.unicode));
  std::string kind(fs::kind_name(entry.kind()));
  if (const std::string error = state.facts->error_of(row.node); !error.empty()) {
    kind += ", cannot be read completely: " + error;
  }
  const bool planned = state.layer == Layer::planned;
  if (const auto why = state.why_left.find(row.node); planned && why != state.why_left.end()) {
    lines.emplace_back("Left out", text::safe(why->second, state.settings.unicode));
  }
  lines.emplace_back("Kind", kind);
  if (const act::Candidate* const candidate = ruled(state, row.node)) {
    add_rule_lines(state, *candidate, lines);
  }
  if (!planned) add_skipped_lines(state, lines);
  const bool is_directory = row.directory != fs::kNoDir;
  const std::uint64_t disk =
      is_directory ? state.facts->totals().below(row.directory).disk_bytes : entry.disk_bytes();
  const std::uint64_t apparent =
      is_directory ? state.facts->totals().below(row.directory).apparent_bytes : entry.size;
  const std::string least = least_of(state, row);
  lines.emplace_back("Size", least + bytes_text(state, disk) + " on disk, " + least +
                                 bytes_text(state, apparent) + " apparent (" +
                                 text::counted(apparent, "byte", "bytes") + ")");
  lines.emplace_back("Frees", freed_text(state, row));
  if (is_directory) add_directory_lines(state, row, lines);
  lines.emplace_back("Modified", moment_text(entry.mtime, state.facts->now()));
  lines.emplace_back(
      "Owner", text::escaped(state.facts->owner(entry.uid), state.settings.unicode) +
                   (entry.knows_permissions() ? ", mode " + mode_text(entry.mode) : std::string()));
  if (entry.links != fs::kManyLinks) {
    lines.emplace_back(
        "Inode", std::to_string(entry.inode) + ", " + text::counted(entry.links, "link", "links"));
  }
  const auto target = tree.link_target(row.node);
  if (target) {
    lines.emplace_back("Leads to", text::escaped(target->path, state.settings.unicode) +
                                       (target->end == fs::LinkEnd::missing ? " (missing)" : ""));
  }
  return lines;
}

// The row that the panel is about.
std::optional<Listing::Row> row_of_panel(const State& state) {
  if (state.layer != Layer::planned) return row_at(state, state.cursor().at);
  if (state.plan_cursor.at >= state.plan.size()) return std::nullopt;
  const fs::Chosen entry = state.plan.entries()[state.plan_cursor.at];
  return Listing::Row{entry.node, entry.directory, nullptr};
}

// The lines in as many as they need on a screen of that width.
Lines wrapped(const Lines& lines, unsigned width) {
  const unsigned room = width - 3 - kTitleWidth;
  Lines all;
  for (const auto& [title, text] : lines) {
    unsigned used = 0;
    all.emplace_back(title, "");
    for (text::Pieces rest(text); const auto piece = rest.next();) {
      if (used + piece->width > room) {
        all.emplace_back("", "");
        used = 0;
      }
      all.back().second += piece->bytes;
      used += piece->width;
    }
  }
  return all;
}

}  // namespace

Lines info_lines(const State& state) {
  const auto row = row_of_panel(state);
  return row ? lines_of(state, *row) : Lines();
}

std::size_t hidden_info_lines(const State& state) {
  const Lines lines = wrapped(info_lines(state), std::min(state.width, kMostWidth));
  return lines.size() - std::min(lines.size(), list_rows(state));
}

void draw_info(const State& state, const Area& area, Grid& grid) {
  const Lines lines = wrapped(info_lines(state), area.width);
  grid.put(area.x + 2, area.y, "Info", {.tone = Tone::strong});
  grid.cursor_x = area.x;
  grid.cursor_y = area.y + 1;
  unsigned y = area.y + 1;
  if (lines.empty()) {
    const bool sums = !has_entries(state.view);
    const FindingList* const list = findings_on_screen(state);
    const std::size_t at = state.cursor().at;
    const bool heading = list != nullptr && at < list->size() && list->item(at) == nullptr;
    const std::string_view text = sums      ? "Enter lists the entries of a row"
                                  : heading ? "a heading: Enter opens or closes it"
                                            : "no entry is selected";
    grid.put(area.x + 2, y, cut_off(state, text, area.width - 3));
    return;
  }
  const std::size_t rows = area.height - 1;
  const std::size_t hidden = lines.size() - std::min(lines.size(), rows);
  const std::size_t first = std::min(state.scroll, hidden);
  for (std::size_t i = first; i < std::min(lines.size(), first + rows); ++i) {
    grid.put(area.x + 2, y, lines[i].first, {.tone = Tone::strong});
    grid.put(area.x + 2 + kTitleWidth, y++, lines[i].second);
  }
}

std::string info_line(const State& state) {
  const auto row = row_of_panel(state);
  if (!row) return "";
  if (row->excluded != nullptr) {
    return text::escaped(row->excluded->name, state.settings.unicode) + ": " +
           std::string(why_excluded(row->excluded->why));
  }
  if (const act::Candidate* const candidate = ruled(state, row->node)) {
    return rule_line(state, *candidate);
  }
  const fs::Tree& tree = state.facts->tree();
  std::string text;
  if (row->directory != fs::kNoDir) {
    const std::uint64_t entries = state.facts->totals().below(row->directory).entries();
    text = text::counted(entries == 0 ? 0 : entries - 1, "entry", "entries");
    const std::string error = state.facts->error_of(row->node);
    if (!error.empty()) text += ", cannot be read completely: " + error;
  } else {
    text = fs::kind_name(tree.kind(row->node));
    if (tree.links(row->node) > 1 && tree.links(row->node) != fs::kManyLinks) {
      text += ", one of " + text::grouped(tree.links(row->node)) + " names";
    }
  }
  const std::int64_t time = row->directory != fs::kNoDir
                                ? state.facts->newest().below(row->directory)
                                : tree.mtime(row->node);
  if (time != fs::kUnknownTime) text += ", modified " + moment_text(time, state.facts->now());
  text +=
      ", owner " + text::escaped(state.facts->owner(tree.uid(row->node)), state.settings.unicode);
  return text;
}

}  // namespace fathom::tui
