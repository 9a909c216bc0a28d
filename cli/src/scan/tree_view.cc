// TreeView: draws the rows of tree_view_rows() with bars and branches.

#include "scan/tree_view.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "scan/kind_mark.h"
#include "scan/tree_view_rows.h"
#include "term/bar.h"
#include "term/label.h"
#include "term/number.h"
#include "term/paint.h"

namespace fathom::cli {

namespace {

constexpr std::size_t kRows = 24;
constexpr std::size_t kFewestRows = 8;
constexpr unsigned kRowsBeside = 9;  // other lines: the summary, a title, the rest, a prompt
constexpr unsigned kPercentWidth = 4;
constexpr unsigned kShortestName = 10;
constexpr std::size_t kUsualSize = 8;  // columns of a figure

// The pieces of the branches, each `width` columns wide.
struct Branches {
  std::string_view fork, end, pass, blank;
  unsigned width;
};

Branches branches(const Terminal& terminal, bool narrow) {
  if (terminal.unicode) {
    return narrow ? Branches{"├ ", "└ ", "│ ", "  ", 2} : Branches{"├─ ", "└─ ", "│  ", "   ", 3};
  }
  return narrow ? Branches{"| ", "` ", "| ", "  ", 2} : Branches{"|- ", "`- ", "|  ", "   ", 3};
}

//  size  gap  share  gap  bar  gap  branches and name
struct Columns {
  unsigned gap, size, bar, name;
};

Columns fit(unsigned width, std::size_t size) {
  Columns columns{};
  columns.gap = width < 60 ? 1 : 2;
  columns.size = static_cast<unsigned>(size);
  columns.bar = std::clamp(6 + (width - kMinimumWidth) * 3 / 10, 6U, 40U);
  columns.name = width - 1 - columns.size - kPercentWidth - columns.bar - 3 * columns.gap;
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
        branches_(branches(view.terminal, view.terminal.width < 60)) {}

  std::string draw() {
    // The widest figure depends on the rows, and the rows on the depth that fits beside the
    // figures. So the depth is determined with an upper bound for the figures.
    const Columns tightest = fit(view_.terminal.width, std::max(kUsualSize, figure(whole_).size()));
    unsigned deepest = (tightest.name - kShortestName) / branches_.width;
    if (view_.depth) deepest = std::min(deepest, *view_.depth);
    TreeViewRows picked = tree_view_rows(tree_, input_.children(), input_.totals(), view_.measure,
                                         {row_limit(), deepest}, view_.order);
    rows_ = std::move(picked.rows);
    std::size_t widest = 0;
    for (const TreeViewRow& row : rows_) {
      figures_.push_back(figure(row.weight));
      widest = std::max(widest, figures_.back().size());
    }
    columns_ = fit(view_.terminal.width, widest);
    std::string text;
    for (std::size_t i = 0; i < rows_.size(); ++i) text += line(i) + '\n';
    return text + rest(picked.rest);
  }

 private:
  [[nodiscard]] std::string figure(std::uint64_t weight) const {
    return view_.order == Order::count ? grouped(weight) : base::format_bytes(weight, view_.units);
  }

  [[nodiscard]] std::size_t row_limit() const {
    if (view_.top != 0) return view_.top;
    const unsigned height = view_.terminal.height;
    if (height == 0) return kRows;
    return std::clamp<std::size_t>(height - std::min(height, kRowsBeside), kFewestRows, kRows);
  }

  [[nodiscard]] std::string line(std::size_t i) const {
    const TreeViewRow& row = rows_[i];
    return figures(row.lower_bound, figures_[i], row.weight) + name_column(i);
  }

  // Everything before the name.
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
    const std::string_view mark = name.ends_with('/') ? "" : kind_mark(tree_, row.node);
    const auto room =
        columns_.name - row.depth * branches_.width - static_cast<unsigned>(mark.size());
    const bool unicode = view_.terminal.unicode;
    std::string shown = Label(name, unicode).fitted(room, unicode ? "…" : "...");
    shown += mark;
    return paint_(Tone::faint, branch(i)) + paint_(kind_tone(tree_.kind(row.node)), shown);
  }

  [[nodiscard]] std::string branch(std::size_t i) const {
    if (rows_[i].depth == 0) return "";
    std::string text(rows_[i].last ? branches_.end : branches_.fork);
    for (std::size_t above = rows_[i].parent; rows_[above].depth > 0; above = rows_[above].parent) {
      text.insert(0, rows_[above].last ? branches_.blank : branches_.pass);
    }
    return text;
  }

  // The entries that have no row. The text is shortened if there is no room; the count stays.
  [[nodiscard]] std::string rest(const TreeViewRest& rest) const {
    if (rest.entries == 0) return "";
    std::string text = "and " + counted(rest.entries, "more entry", "more entries");
    if (text.size() > columns_.name) text = "and " + grouped(rest.entries) + " more";
    if (text.size() > columns_.name) text = grouped(rest.entries) + " more";
    return figures(false, right(figure(rest.weight), columns_.size), rest.weight) +
           paint_(Tone::faint, text) + '\n';
  }

  const fs::ReportInput& input_;
  const fs::Tree& tree_;
  const View& view_;
  const Paint paint_;
  const std::uint64_t whole_;
  const Branches branches_;
  std::vector<TreeViewRow> rows_;
  std::vector<std::string> figures_;  // of the rows
  Columns columns_{};
};

}  // namespace

std::string tree_view(const fs::ReportInput& input, const View& view) {
  return TreeView(input, view).draw();
}

}  // namespace fathom::cli
