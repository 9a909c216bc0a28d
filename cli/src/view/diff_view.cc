// DiffView: the parts of the view, with columns or in words.

#include "view/diff_view.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/saturating.h"
#include "fathom/fs/kind_words.h"
#include "term/bar.h"
#include "term/label.h"
#include "term/number.h"
#include "term/paint.h"
#include "term/wrapped.h"
#include "view/branches.h"
#include "view/change_rows.h"
#include "view/interval.h"
#include "view/kind_tone.h"

namespace fathom::cli {

namespace {

constexpr std::size_t kTreeLines = 24;  // if the height is unknown
constexpr std::size_t kFewestTreeLines = 3;
constexpr std::size_t kListLines = 5;
constexpr unsigned kLeastName = 12;  // columns of a name in the tree
constexpr unsigned kSizeFrom = 90;   // columns from which on the tree shows sizes

// One of the four lists.
struct NamedList {
  std::string_view title;
  const store::DiffList& list;
};

// A line of a list or of the groups.
struct ChangeLine {
  std::string figure;
  std::string path;
  std::string_view mark;  // after the path
  std::string to;         // of a move, the second path
  Tone tone = Tone::plain;
};

// The parts of a balance that are not zero: "created 30 MiB".
std::vector<std::string> parts_of(const store::Balance& balance, base::Units units) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view word, std::uint64_t bytes, char sign) {
    if (bytes != 0) {
      parts.push_back(std::string(word) + ' ' + sign + base::format_bytes(bytes, units));
    }
  };
  add("created", balance.created, '+');
  add("grown", balance.grown, '+');
  add("removed", balance.removed, '-');
  add("shrunk", balance.shrunk, '-');
  add("moved in", balance.moved_in, '+');
  add("moved out", balance.moved_out, '-');
  if (balance.reattributed != 0) {
    parts.push_back("reattributed " + signed_bytes(balance.reattributed, units));
  }
  return parts;
}

// Sums by something else than directories.
struct NamedGroups {
  std::string_view title;
  const std::vector<store::DiffGroup>& all;
  std::string_view unnamed = {};  // stands for an empty name; empty: the number does
};

bool has(const store::DiffReport& report, store::DiffBy by) {
  return std::find(report.by.begin(), report.by.end(), by) != report.by.end();
}

std::vector<NamedGroups> groups_of(const store::DiffReport& report) {
  std::vector<NamedGroups> found;
  const store::Diff& diff = report.diff;
  for (const store::DiffBy by : report.by) {
    if (by == store::DiffBy::owner) found.push_back({"Changes by owner", diff.owners});
    if (by == store::DiffBy::group) found.push_back({"Changes by group", diff.groups});
    if (by != store::DiffBy::extension) continue;
    found.push_back({"Changes by extension", diff.extensions, "(no extension)"});
  }
  return found;
}

std::string group_name(const store::DiffGroup& group, const NamedGroups& named) {
  if (!group.name.empty()) return group.name;
  if (!named.unnamed.empty()) return std::string(named.unnamed);
  return group.id == fs::kUnknownOwner ? "(unknown)" : std::to_string(group.id);
}

std::string_view mark_of(fs::Kind kind) {
  return kind == fs::Kind::directory ? "/" : kind == fs::Kind::symlink ? "@" : "";
}

// "new" and the like, if a directory does not exist on both sides.
std::string_view state_word(store::DiffDirectory::State state) {
  switch (state) {
    case store::DiffDirectory::State::kept:
      return "";
    case store::DiffDirectory::State::created:
      return "new";
    case store::DiffDirectory::State::removed:
      return "gone";
    case store::DiffDirectory::State::moved_here:
      return "moved here";
    case store::DiffDirectory::State::moved_away:
      break;
  }
  return "moved away";
}

std::vector<NamedList> lists_of(const store::Diff& diff) {
  std::vector<NamedList> lists;
  for (const NamedList& list : {NamedList{"Grown and shrunk", diff.changed},
                                {"New", diff.created},
                                {"Gone", diff.removed},
                                {"Moved", diff.moved}}) {
    if (list.list.count != 0) lists.push_back(list);
  }
  return lists;
}

// Whether there is nothing to show but the header. Changes of other things than sizes are not in a
// report.
bool is_empty(const store::DiffReport& report) {
  const std::vector<NamedGroups> groups = groups_of(report);
  return report.diff.directories.empty() && lists_of(report.diff).empty() &&
         std::all_of(groups.begin(), groups.end(),
                     [](const NamedGroups& named) { return named.all.empty(); });
}

constexpr std::string_view kNoSizesChanged = "No sizes changed.";

// A note, as messages begin: in lower case, and without a full stop.
std::string sentence(const std::string& note) {
  std::string text = safe(note) + '.';
  if (text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 32);
  return text;
}

// How a snapshot is called: its tag, or the beginning of its id.
std::string snapshot_name(const store::SnapshotMeta& meta, bool kept) {
  constexpr std::size_t kDigits = 8;
  if (!kept) return "now";
  return meta.tag.empty() ? meta.id.substr(0, kDigits) : escaped(meta.tag);
}

class DiffView {
 public:
  DiffView(const store::DiffReport& report, const View& view, fs::Blocks& text)
      : report_(report),
        diff_(report.diff),
        view_(view),
        terminal_(view.terminal),
        paint_(view.terminal.color),
        text_(text),
        lists_(lists_of(report.diff)) {
    if (view.top != 0) {
      list_lines_ = view.top;
    } else if (terminal_.person && terminal_.height != 0) {
      fit_lists();
    }
  }

  void write() {
    text_.put(header());
    text_.put(notes());
    if (is_empty(report_)) text_.put('\n' + std::string(kNoSizesChanged) + '\n');
    if (!diff_.directories.empty() && has(report_, store::DiffBy::directory)) text_.put(tree());
    for (const NamedList& list : lists_) text_.put(list_text(list));
    for (const NamedGroups& named : groups_of(report_)) text_.put(groups(named));
  }

 private:
  // ---- Fitting

  [[nodiscard]] std::size_t lines_of_lists(std::size_t most) const {
    std::size_t lines = 0;
    for (const NamedList& list : lists_) {
      const std::size_t shown = std::min<std::size_t>(list.list.count, most);
      lines += 2 + shown + (shown < list.list.count ? 1 : 0);
    }
    return lines;
  }

  // The lists take half of the screen at most, and each has a line at least.
  void fit_lists() {
    while (list_lines_ > 1 && lines_of_lists(list_lines_) > terminal_.height / 2) --list_lines_;
  }

  [[nodiscard]] std::size_t tree_lines() const {
    if (view_.top != 0) return view_.top;
    if (!terminal_.person || terminal_.height == 0) return kTreeLines;
    constexpr std::size_t kOthers = 4 + 2 + 1 + 1;  // the header, the title, the rest, the prompt
    const std::string noted = notes();
    const std::size_t used = kOthers + lines_of_lists(list_lines_) +
                             static_cast<std::size_t>(std::count(noted.begin(), noted.end(), '\n'));
    return std::max(kFewestTreeLines,
                    terminal_.height - std::min<std::size_t>(terminal_.height, used));
  }

  [[nodiscard]] unsigned line_width() const {
    return terminal_.person ? terminal_.width : Wrapped::kEndless;
  }

  // A name that takes at most so many columns; on a terminal, it is cut in the middle.
  [[nodiscard]] std::string fitted(std::string_view name, unsigned columns) const {
    const Label label(name, terminal_.unicode);
    return terminal_.person ? label.fitted(columns, terminal_.unicode ? "…" : "...") : label.text();
  }

  // ---- The header

  [[nodiscard]] std::string header() const {
    const std::string before = base::format_bytes(diff_.before, view_.units);
    const std::string after = base::format_bytes(diff_.after, view_.units);
    const std::string change = signed_bytes(diff_.balance.total(), view_.units);
    const std::size_t figures = std::max({before.size(), after.size(), change.size()});
    const auto margin = static_cast<unsigned>(figures + 2);
    std::string text;
    const auto line = [&](Tone tone, const std::string& figure,
                          const std::vector<std::string>& words) {
      Wrapped wrapped(margin, line_width());
      for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string word = words[i] + (i + 1 < words.size() ? "," : "");
        wrapped.add_word(word, static_cast<unsigned>(word.size()));
      }
      text += paint_(tone, right(figure, figures)) + "  " + wrapped.text() + '\n';
    };
    line(Tone::plain, before,
         {interval_text(report_.from.started_ns, report_.from.ended_ns),
          snapshot_name(report_.from, true)});
    line(Tone::plain, after,
         {interval_text(report_.to.started_ns, report_.to.ended_ns),
          snapshot_name(report_.to, report_.to_is_kept)});
    line(Tone::strong, change, parts_of(diff_.balance, view_.units));
    return text;
  }

  // ---- The tree

  //  change  gap  bar  gap  [size  gap]  branches and name
  struct Columns {
    unsigned gap, change, side, size, name;
  };

  [[nodiscard]] Columns fit(std::size_t change, std::size_t size) const {
    Columns columns{};
    const unsigned width = terminal_.width;
    columns.gap = width < 60 ? 1 : 2;
    columns.change = static_cast<unsigned>(change);
    columns.side = std::clamp(4 + (width - kMinimumWidth) / 10, 4U, 12U);
    columns.size = width < kSizeFrom ? 0 : static_cast<unsigned>(size);
    columns.name = width - columns.change - 2 * columns.gap - (2 * columns.side + 1) -
                   (columns.size == 0 ? 0 : columns.size + columns.gap);
    return columns;
  }

  [[nodiscard]] std::string tree() {
    const Branches pieces = branches(terminal_);
    std::vector<ChangeNode> nodes;
    std::uint64_t most = 0;
    std::size_t widest_change = 0;
    std::size_t widest_size = 0;
    for (const store::DiffDirectory& directory : diff_.directories) {
      nodes.push_back({directory.parent, directory.change()});
      most = std::max(most, base::magnitude(directory.change()));
      widest_change = std::max(widest_change, signed_bytes(directory.change(), view_.units).size());
      widest_size = std::max(widest_size, base::format_bytes(directory.after, view_.units).size());
    }
    const Columns columns = fit(widest_change, widest_size);
    unsigned deepest = (columns.name - std::min(columns.name, kLeastName)) / pieces.width;
    if (view_.depth) deepest = std::min(deepest, *view_.depth);
    const ChangeRows shown = change_rows(nodes, {.rows = tree_lines(), .depth = deepest});
    std::string text = '\n' + paint_(Tone::heading, "Changes by directory") + '\n';
    for (std::size_t i = 0; i < shown.rows.size(); ++i) {
      text += tree_line(shown.rows, i, columns, most, pieces) + '\n';
    }
    return text + rest(shown.others, columns.change + columns.gap,
                       shown.others == 1 ? " directory" : " directories");
  }

  [[nodiscard]] std::string tree_line(const std::vector<ChangeRow>& rows, std::size_t i,
                                      const Columns& columns, std::uint64_t most,
                                      const Branches& pieces) const {
    const ChangeRow& row = rows[i];
    const store::DiffDirectory& top = diff_.directories[row.chain.front()];
    const std::string gap(columns.gap, ' ');
    const std::string figure = signed_bytes(top.change(), view_.units);
    const std::string bar = signed_bar(top.change(), most, columns.side, terminal_.unicode);
    const unsigned blank = 2 * columns.side + 1 - bar_width(bar);
    std::string text = right(figure, columns.change) + gap + paint_(Tone::bar, bar) +
                       std::string(blank, ' ') + gap;
    if (columns.size != 0) {
      text += paint_(Tone::faint, right(base::format_bytes(top.after, view_.units), columns.size)) +
              gap;
    }
    return text + name_column(rows, i, columns, pieces);
  }

  // Label would escape the blanks at its beginning.
  [[nodiscard]] static unsigned bar_width(std::string_view bar) {
    return static_cast<unsigned>(std::count_if(bar.begin(), bar.end(), [](char byte) {
      return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;  // the first byte of a character
    }));
  }

  [[nodiscard]] std::string name_column(const std::vector<ChangeRow>& rows, std::size_t i,
                                        const Columns& columns, const Branches& pieces) const {
    const ChangeRow& row = rows[i];
    std::string name;
    for (const std::size_t index : row.chain) {
      if (!name.empty() && name.back() != '/') name += '/';
      name += diff_.directories[index].name;
    }
    if (name.empty() || name.back() != '/') name += '/';
    const std::string_view word = state_word(diff_.directories[row.chain.back()].state);
    std::string state = word.empty() ? "" : " (" + std::string(word) + ")";
    const unsigned room = columns.name - std::min(columns.name, row.depth * pieces.width);
    if (room < kLeastName + state.size()) state.clear();
    const std::string shown = fitted(name, room - static_cast<unsigned>(state.size()));
    return paint_(Tone::faint, branch_to(rows, i, pieces)) + paint_(Tone::directory, shown) +
           paint_(Tone::faint, state);
  }

  // "and 3 more directories", shortened if there is no room.
  [[nodiscard]] std::string rest(std::uint64_t count, std::size_t indent,
                                 std::string_view things = {}) const {
    if (count == 0) return "";
    std::string text = "and " + grouped(count) + " more";
    if (indent + text.size() + things.size() <= line_width()) text += things;
    return std::string(indent, ' ') + paint_(Tone::faint, text) + '\n';
  }

  // ---- Lists

  [[nodiscard]] std::string list_text(const NamedList& list) const {
    std::vector<ChangeLine> lines;
    for (const store::DiffItem& item : list.list.items) {
      if (lines.size() == list_lines_) break;
      const bool moved = !item.from.empty();
      lines.push_back({.figure = moved ? base::format_bytes(item.after, view_.units)
                                       : signed_bytes(item.change(), view_.units),
                       .path = moved ? item.from : item.path,
                       .mark = mark_of(item.kind),
                       .to = moved ? item.path : "",
                       .tone = kind_tone(item.kind)});
    }
    return lines_text(list.title, lines, list.list.count - lines.size());
  }

  [[nodiscard]] std::string groups(const NamedGroups& named) const {
    std::vector<ChangeLine> lines;
    for (const store::DiffGroup& group : named.all) {
      if (lines.size() == std::max(list_lines_, kListLines)) break;
      ChangeLine& line = lines.emplace_back();
      line.figure = signed_bytes(group.change(), view_.units);
      line.path = group_name(group, named);
    }
    return lines.empty() ? "" : lines_text(named.title, lines, named.all.size() - lines.size());
  }

  [[nodiscard]] std::string lines_text(std::string_view title, const std::vector<ChangeLine>& lines,
                                       std::uint64_t others) const {
    std::size_t widest = 0;
    for (const ChangeLine& line : lines) widest = std::max(widest, line.figure.size());
    std::string text = '\n' + paint_(Tone::heading, title) + '\n';
    for (const ChangeLine& line : lines) {
      const auto before = static_cast<unsigned>(widest + 2);
      text += right(line.figure, widest) + "  " + names_of(line, line_width() - before) + '\n';
    }
    return text + rest(others, widest + 2);
  }

  // The path, or both of them, in so many columns.
  [[nodiscard]] std::string names_of(const ChangeLine& line, unsigned columns) const {
    constexpr std::string_view kArrow = " -> ";
    const auto mark = static_cast<unsigned>(line.mark.size());
    const std::string end(line.mark);
    if (line.to.empty()) return paint_(line.tone, fitted(line.path, columns - mark) + end);
    const unsigned both = columns - static_cast<unsigned>(kArrow.size()) - 2 * mark;
    const unsigned first = Label(line.path, terminal_.unicode).width();
    const unsigned second = Label(line.to, terminal_.unicode).width();
    // The shorter path gets what it needs, the other one the rest.
    const unsigned half = both / 2;
    const unsigned for_first = second <= half ? both - second : std::min(first, half);
    return paint_(line.tone, fitted(line.path, for_first) + end) + std::string(kArrow) +
           paint_(line.tone, fitted(line.to, both - std::min(for_first, first)) + end);
  }

  // ---- Notes: what the reader has to know before the rest

  [[nodiscard]] std::string notes() const {
    std::string text;
    for (const std::string& note : diff_.notes) {
      text += (text.empty() ? "\n" : "") + wrapped(sentence(note), 0, line_width()) + '\n';
    }
    return text;
  }

  const store::DiffReport& report_;
  const store::Diff& diff_;
  const View& view_;
  const Terminal& terminal_;
  const Paint paint_;
  fs::Blocks& text_;
  const std::vector<NamedList> lists_;
  std::size_t list_lines_ = kListLines;
};

// ---- In words

// "grown by 30 MiB to 200 MiB".
std::string change_words(const store::DiffDirectory& directory, base::Units units) {
  const auto bytes = [units](std::uint64_t number) { return base::format_bytes(number, units); };
  const std::string_view state = state_word(directory.state);
  if (!state.empty()) {
    return std::string(state) + ", " + bytes(std::max(directory.before, directory.after));
  }
  const std::int64_t change = directory.change();
  if (change == 0) return "no larger, " + bytes(directory.after);
  return (change > 0 ? "grown by " : "shrunk by ") + bytes(base::magnitude(change)) + " to " +
         bytes(directory.after);
}

class PlainDiff {
 public:
  PlainDiff(const store::DiffReport& report, const View& view, fs::Blocks& text)
      : report_(report), diff_(report.diff), view_(view), text_(text) {}

  void write() {
    put("Before: " + bytes(diff_.before) + ", " + name(report_.from, true));
    put("After: " + bytes(diff_.after) + ", " + name(report_.to, report_.to_is_kept));
    put("Change: " + signed_bytes(diff_.balance.total(), view_.units));
    for (const std::string& part : parts_of(diff_.balance, view_.units)) put("Of this, " + part);
    if (!diff_.notes.empty()) put("");
    for (const std::string& note : diff_.notes) put(sentence(note));
    const std::vector<NamedList> lists = lists_of(diff_);
    if (is_empty(report_)) put(kNoSizesChanged);
    if (!diff_.directories.empty() && has(report_, store::DiffBy::directory)) directories();
    for (const NamedList& list : lists) items(list);
    for (const NamedGroups& named : groups_of(report_)) groups(named);
  }

 private:
  void put(std::string_view line) {
    text_.put(line);
    text_.put('\n');
  }
  void heading(std::string_view title) {
    put("");
    put(title);
  }
  [[nodiscard]] std::string bytes(std::uint64_t number) const {
    return base::format_bytes(number, view_.units);
  }
  [[nodiscard]] std::string shown(std::string_view name) const {
    return escaped(name, view_.terminal.unicode);
  }
  [[nodiscard]] static std::string name(const store::SnapshotMeta& meta, bool kept) {
    return interval_text(meta.started_ns, meta.ended_ns) + ", " + snapshot_name(meta, kept);
  }
  [[nodiscard]] std::size_t most(std::size_t usual) const {
    return view_.top == 0 ? usual : view_.top;
  }
  void rest(std::uint64_t count) {
    if (count != 0) put("and " + grouped(count) + " more");
  }

  void directories() {
    heading("Changes by directory");
    std::vector<ChangeNode> nodes;
    for (const store::DiffDirectory& directory : diff_.directories) {
      nodes.push_back({directory.parent, directory.change()});
    }
    ChangeLimits limits{.rows = most(kTreeLines)};
    if (view_.depth) limits.depth = *view_.depth;
    const ChangeRows rows = change_rows(nodes, limits);
    for (const ChangeRow& row : rows.rows) {
      const std::size_t index = row.chain.back();
      const store::DiffDirectory& directory = diff_.directories[index];
      put(change_words(directory, view_.units) + ": " + shown(diff_.path_of(index)));
    }
    rest(rows.others);
  }

  void items(const NamedList& list) {
    heading(list.title);
    std::size_t lines = 0;
    for (const store::DiffItem& item : list.list.items) {
      if (lines++ == most(kListLines)) break;
      const std::string kind(fs::kind_name(item.kind));
      if (item.from.empty()) {
        put(signed_bytes(item.change(), view_.units) + ", " + kind + ' ' + shown(item.path));
      } else {
        put(bytes(item.after) + ", " + kind + " from " + shown(item.from) + " to " +
            shown(item.path));
      }
    }
    rest(list.list.count - std::min<std::uint64_t>(most(kListLines), list.list.items.size()));
  }

  void groups(const NamedGroups& named) {
    if (named.all.empty()) return;
    heading(named.title);
    const std::size_t count = std::min(named.all.size(), most(kListLines));
    for (std::size_t i = 0; i < count; ++i) {
      const store::DiffGroup& group = named.all[i];
      put(signed_bytes(group.change(), view_.units) + ", " + shown(group_name(group, named)));
    }
    rest(named.all.size() - count);
  }

  const store::DiffReport& report_;
  const store::Diff& diff_;
  const View& view_;
  fs::Blocks& text_;
};

}  // namespace

void write_diff_view(const store::DiffReport& report, const View& view, fs::Blocks& text) {
  if (view.plain) {
    PlainDiff(report, view, text).write();
  } else {
    DiffView(report, view, text).write();
  }
}

}  // namespace fathom::cli
