#include "scan/picture.h"

#include <algorithm>
#include <vector>

#include "scan/picture_rows.h"
#include "term/bar.h"
#include "term/label.h"
#include "term/number.h"
#include "term/paint.h"

namespace fathom::cli {

namespace {

constexpr std::size_t kRows = 24;
constexpr std::size_t kFewestRows = 8;
constexpr unsigned kRowsBeside = 8;  // of the terminal: the summary, a prompt
constexpr unsigned kPercentWidth = 4;
constexpr unsigned kShortestName = 10;

// The lines that join a tree, each of `width` columns.
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

Columns fit(unsigned width, unsigned size) {
  Columns columns{};
  columns.gap = width < 60 ? 1 : 2;
  columns.size = size;
  columns.bar = std::clamp(6 + (width - kMinimumWidth) * 3 / 10, 6U, 40U);
  columns.name = width - 1 - size - kPercentWidth - columns.bar - 3 * columns.gap;
  return columns;
}

class Picture {
 public:
  Picture(const fs::Scan& scan, const fs::Totals& totals, const View& view)
      : tree_(scan.tree),
        totals_(totals),
        view_(view),
        paint_(view.terminal.color),
        whole_(fs::bytes_of(totals.whole(), view.measure)),
        branches_(branches(view.terminal, view.terminal.width < 60)) {}

  std::string draw() {
    // The widest size is not known before the rows are, nor the depth that fits before the size.
    const Columns tightest = fit(view_.terminal.width, 8);
    const unsigned deepest = (tightest.name - kShortestName) / branches_.width;
    rows_ = picture_rows(tree_, totals_, view_.measure, {row_limit(), deepest});
    std::size_t widest = 0;
    for (const PictureRow& row : rows_) {
      sizes_.push_back(base::format_bytes(row.bytes, view_.units));
      widest = std::max(widest, sizes_.back().size());
    }
    columns_ = fit(view_.terminal.width, static_cast<unsigned>(widest));
    std::string text;
    for (std::size_t i = 0; i < rows_.size(); ++i) text += line(i) + '\n';
    return text + rest();
  }

 private:
  [[nodiscard]] std::size_t row_limit() const {
    const unsigned height = view_.terminal.height;
    if (height == 0) return kRows;
    return std::clamp<std::size_t>(height - std::min(height, kRowsBeside), kFewestRows, kRows);
  }

  [[nodiscard]] std::string line(std::size_t i) const {
    const PictureRow& row = rows_[i];
    const std::string gap(columns_.gap, ' ');
    const std::string share = percent(row.bytes, whole_);
    std::string text = row.lower_bound ? paint_(Tone::warning, view_.lower_bound_mark()) : " ";
    text += right(sizes_[i], columns_.size) + gap;
    text += paint_(Tone::faint, right(share, kPercentWidth)) + gap;
    return text + bar_column(row) + gap + name_column(i);
  }

  [[nodiscard]] std::string bar_column(const PictureRow& row) const {
    const std::string drawn = bar(row.bytes, whole_, columns_.bar, view_.terminal.unicode);
    const unsigned width = Label(drawn).width();
    return paint_(Tone::bar, drawn) + std::string(columns_.bar - width, ' ');
  }

  [[nodiscard]] std::string name_column(std::size_t i) const {
    const PictureRow& row = rows_[i];
    const std::string_view name = tree_.name(row.node);
    const bool slash = row.directory && !name.ends_with('/');
    const unsigned room = columns_.name - row.depth * branches_.width - (slash ? 1 : 0);
    std::string shown = Label(name).fitted(room, view_.terminal.unicode ? "…" : "...");
    if (slash) shown += '/';
    return paint_(Tone::faint, branch(i)) +
           paint_(row.directory ? Tone::directory : Tone::plain, shown);
  }

  [[nodiscard]] std::string branch(std::size_t i) const {
    if (rows_[i].depth == 0) return "";
    std::string text(rows_[i].last ? branches_.end : branches_.fork);
    for (std::size_t above = rows_[i].parent; rows_[above].depth > 0; above = rows_[above].parent) {
      text.insert(0, rows_[above].last ? branches_.blank : branches_.pass);
    }
    return text;
  }

  [[nodiscard]] std::string rest() const {
    const std::uint64_t entries = totals_.whole().entries();
    if (rows_.empty() || entries <= rows_.size()) return "";
    const std::string text = "and " + counted(entries - rows_.size(), "entry", "entries") + " more";
    const std::size_t names = 1 + columns_.size + kPercentWidth + columns_.bar + 3 * columns_.gap;
    const std::string margin(std::min(names, view_.terminal.width - text.size()), ' ');
    return margin + paint_(Tone::faint, text) + '\n';
  }

  const fs::Tree& tree_;
  const fs::Totals& totals_;
  const View& view_;
  const Paint paint_;
  const std::uint64_t whole_;
  const Branches branches_;
  std::vector<PictureRow> rows_;
  std::vector<std::string> sizes_;  // of the rows
  Columns columns_{};
};

}  // namespace

std::string picture(const fs::Scan& scan, const fs::Totals& totals, const View& view) {
  return Picture(scan, totals, view).draw();
}

}  // namespace fathom::cli
