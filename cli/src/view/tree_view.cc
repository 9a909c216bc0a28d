// TreeView: draws the rows of tree_view_rows() with bars and branches, or in words.

#include "view/tree_view.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/fs/kind_words.h"
#include "term/bar.h"
#include "term/label.h"
#include "term/number.h"
#include "term/paint.h"
#include "view/branches.h"
#include "view/kind_tone.h"
#include "view/tree_facts.h"
#include "view/tree_view_rows.h"

namespace fathom::cli {

namespace {

constexpr std::size_t kRows = 24;  // if the height is unknown
constexpr std::size_t kFewestRows = 3;
constexpr unsigned kWide = 120;  // columns from which on facts have room
constexpr unsigned kPercentWidth = 4;
constexpr unsigned kShortestName = 10;
constexpr std::size_t kUsualSize = 8;  // columns of a figure

constexpr std::string_view kElsewhere = " (counted elsewhere)";

std::string_view title_of(const View& view) {
  if (view.order == Order::count) return "Tree by number of entries";
  return view.measure == fs::Measure::disk ? "Tree by disk usage" : "Tree by apparent size";
}

//  size  gap  share  gap  bar  gap  facts  branches and name
struct Columns {
  unsigned gap, size, bar, name;
};

// facts: the columns that these take, with the gap after them; 0 if they are not shown.
Columns fit(unsigned width, std::size_t size, unsigned facts) {
  constexpr unsigned kWidestBar = 40;
  constexpr unsigned kBarBesideFacts = 20;
  const unsigned widest = facts == 0 ? kWidestBar : kBarBesideFacts;
  Columns columns{};
  columns.gap = width < 60 ? 1 : 2;
  columns.size = static_cast<unsigned>(size);
  columns.bar = std::clamp(6 + (width - kMinimumWidth) * 3 / 10, 6U, widest);
  columns.name = width - 1 - columns.size - kPercentWidth - columns.bar - 3 * columns.gap - facts;
  return columns;
}

class TreeView {
 public:
  TreeView(const fs::ReportInput& input, const View& view)
      : input_(input),
        tree_(input.tree()),
        view_(view),
        paint_(view.terminal.color),
        whole_(view.order == Order::count ? input.totals().whole().entries()
                                          : fs::bytes_of(input.totals().whole(), view.measure)),
        branches_(branches(view.terminal)) {}

  std::string draw(std::size_t beside) {
    // The widest figure depends on the rows, and the rows on the depth that fits beside the
    // figures. So the depth is determined with upper bounds for the figures and the facts.
    const unsigned facts = wide() ? TreeFacts::widest(input_, view_) : 0;
    const std::size_t figures = std::max(kUsualSize, figure(whole_).size());
    const Columns tightest = fit(view_.terminal.width, figures, facts);
    unsigned deepest = (tightest.name - kShortestName) / branches_.width;
    if (view_.depth) deepest = std::min(deepest, *view_.depth);
    TreeViewRows picked = tree_view_rows(input_, {row_limit(beside), deepest}, view_.order);
    rows_ = std::move(picked.rows);
    measure(picked.rest);
    std::string text = title();
    for (std::size_t i = 0; i < rows_.size(); ++i) text += line(i) + '\n';
    if (rows_.empty()) text += "  none\n";
    return text + rest(picked.rest);
  }

 private:
  [[nodiscard]] bool wide() const { return view_.terminal.person && view_.terminal.width >= kWide; }

  // Determines the columns that the rows and the line of the rest need.
  void measure(const TreeViewRest& rest) {
    std::size_t widest = rest.entries == 0 ? 0 : figure(rest.weight).size();
    for (const TreeViewRow& row : rows_) {
      figures_.push_back(figure(row.weight));
      widest = std::max(widest, figures_.back().size());
    }
    if (wide() && !rows_.empty()) {
      facts_.emplace(input_, view_);
      for (const TreeViewRow& row : rows_) facts_->add(row);
    }
    columns_ = fit(view_.terminal.width, widest, facts_ ? facts_->width() : 0);
  }

  // The headings of the facts share the line of the title.
  [[nodiscard]] std::string title() const {
    const std::string_view words = title_of(view_);
    const std::string text = paint_(Tone::heading, words);
    if (!facts_) return text + '\n';
    const unsigned before = 1 + columns_.size + kPercentWidth + columns_.bar + 3 * columns_.gap;
    std::string headings = facts_->headings();
    headings.erase(headings.find_last_not_of(' ') + 1);
    return text + std::string(before - std::min<std::size_t>(before, words.size()), ' ') +
           paint_(Tone::faint, headings) + '\n';
  }

  [[nodiscard]] std::string figure(std::uint64_t weight) const {
    return view_.order == Order::count ? grouped(weight) : base::format_bytes(weight, view_.units);
  }

  // Reserves a line for the title and one for the rest.
  [[nodiscard]] std::size_t row_limit(std::size_t beside) const {
    if (view_.top != 0) return view_.top;
    const std::size_t height = view_.terminal.height;
    if (height == 0) return kRows;
    return std::max(kFewestRows, height - std::min(height, beside + 2));
  }

  [[nodiscard]] std::string line(std::size_t i) const {
    const TreeViewRow& row = rows_[i];
    const std::string facts = facts_ ? paint_(Tone::faint, facts_->row(i)) : "";
    return figures(row.lower_bound, figures_[i], row.weight) + facts + name_column(i);
  }

  // The size, the share and the bar.
  [[nodiscard]] std::string figures(bool lower_bound, const std::string& figure,
                                    std::uint64_t weight) const {
    const std::string gap(columns_.gap, ' ');
    std::string text = lower_bound ? paint_(Tone::warning, view_.lower_bound_mark()) : " ";
    text += right(figure, columns_.size) + gap;
    text += paint_(Tone::faint, right(percent(weight, whole_), kPercentWidth)) + gap;
    const std::string drawn = bar(weight, whole_, columns_.bar, view_.terminal.unicode);
    const unsigned blank = columns_.bar - Label(drawn, true).width();
    return text + paint_(Tone::bar, drawn) + std::string(blank, ' ') + gap;
  }

  [[nodiscard]] std::string name_column(std::size_t i) const {
    const TreeViewRow& row = rows_[i];
    std::string name;
    for (const fs::NodeId above : row.above) (name += tree_.name(above)) += '/';
    name += tree_.name(row.node);
    std::string mark(name.ends_with('/') ? "" : fs::kind_mark(tree_, row.node));
    const bool has_room = columns_.name >= kElsewhere.size() + kShortestName;
    if (row.elsewhere && has_room) mark += kElsewhere;
    const auto room =
        columns_.name - row.depth * branches_.width - static_cast<unsigned>(mark.size());
    const bool unicode = view_.terminal.unicode;
    std::string shown = Label(name, unicode).fitted(room, unicode ? "…" : "...");
    shown += mark;
    return paint_(Tone::faint, branch_to(rows_, i, branches_)) +
           paint_(kind_tone(tree_.kind(row.node)), shown);
  }

  // The entries that have no row. The text is shortened if there is no room; the count stays.
  [[nodiscard]] std::string rest(const TreeViewRest& rest) const {
    if (rest.entries == 0) return "";
    std::string text = "and " + counted(rest.entries, "more entry", "more entries");
    if (text.size() > columns_.name) text = "and " + grouped(rest.entries) + " more";
    if (text.size() > columns_.name) text = grouped(rest.entries) + " more";
    return figures(false, right(figure(rest.weight), columns_.size), rest.weight) +
           std::string(facts_ ? facts_->width() : 0, ' ') + paint_(Tone::faint, text) + '\n';
  }

  const fs::ReportInput& input_;
  const fs::Tree& tree_;
  const View& view_;
  const Paint paint_;
  const std::uint64_t whole_;
  const Branches branches_;
  std::vector<TreeViewRow> rows_;
  std::vector<std::string> figures_;  // of the rows
  std::optional<TreeFacts> facts_;    // only on a wide terminal
  Columns columns_{};
};

}  // namespace

std::string tree_view(const fs::ReportInput& input, const View& view, std::size_t beside) {
  return TreeView(input, view).draw(beside);
}

// ---- In words

std::string plain_tree_view(const fs::ReportInput& input, const View& view) {
  const fs::Tree& tree = input.tree();
  const fs::Totals& totals = input.totals();
  TreeViewLimits limits;
  if (view.top != 0) limits.rows = view.top;
  if (view.depth) limits.depth = *view.depth;
  const bool counts = view.order == Order::count;
  const std::uint64_t whole =
      counts ? totals.whole().entries() : fs::bytes_of(totals.whole(), view.measure);
  const auto figure = [&](std::uint64_t weight) {
    return (counts ? counted(weight, "entry", "entries") : base::format_bytes(weight, view.units)) +
           ", " + percent(weight, whole) + ", ";
  };
  const TreeViewRows picked = tree_view_rows(input, limits, view.order);
  std::string text(title_of(view));
  text += picked.rows.empty() ? "\n  none\n" : "\n";
  for (const TreeViewRow& row : picked.rows) {
    if (row.lower_bound) text += "at least ";
    text += figure(row.weight);
    text += fs::kind_name(tree.kind(row.node));
    text += ' ' + escaped(tree.path(row.node), view.terminal.unicode);
    text += row.elsewhere ? std::string(kElsewhere) + '\n' : "\n";
  }
  if (picked.rest.entries == 0) return text;
  return text + figure(picked.rest.weight) +
         counted(picked.rest.entries, "other entry", "other entries") + '\n';
}

}  // namespace fathom::cli
