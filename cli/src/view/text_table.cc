// TextTable: measures all rows, fits the columns, then writes the lines.

#include "view/text_table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "term/label.h"
#include "term/number.h"
#include "term/paint.h"
#include "view/cell_text.h"
#include "view/text_columns.h"

namespace fathom::cli {

namespace {

bool is_true(const fs::Cell& cell) {
  const bool* yes = std::get_if<bool>(&cell);
  return yes != nullptr && *yes;
}

// Whether the text needs no escaping, as nearly all names. Such texts need no Label, which is
// slower.
bool is_plain(std::string_view text) {
  char before = '/';
  for (const char c : text) {
    if (c < ' ' || c > '~' || c == '\\') return false;
    if ((before == '/' && c == ' ') || (before == ' ' && c == '/')) return false;
    before = c;
  }
  return before != ' ';
}

class TextTable {
 public:
  TextTable(const fs::Table& table, const View& view, fs::Blocks& text)
      : table_(table),
        columns_(table.columns()),
        view_(view),
        paint_(view.terminal.color),
        text_(text) {}

  std::size_t write() {
    text_.put(paint_(Tone::heading, table_.title()));
    text_.put('\n');
    if (table_.rows() == 0) {
      text_.put("  none\n");
    } else if (table_.shape() == fs::TableShape::record) {
      record();
    } else {
      list();
    }
    return left_out_;
  }

 private:
  // The width of a cell as text.
  [[nodiscard]] unsigned width_of(const fs::Cell& cell, fs::CellType type) const {
    if (const auto* bytes = std::get_if<std::string>(&cell)) {
      return is_plain(*bytes) ? static_cast<unsigned>(bytes->size()) : label(*bytes).width();
    }
    return static_cast<unsigned>(text_of(cell, type).size());  // ASCII
  }

  [[nodiscard]] Label label(std::string_view bytes) const {
    return {bytes, view_.terminal.unicode};
  }
  [[nodiscard]] std::string text_of(const fs::Cell& cell, fs::CellType type) const {
    return cell_text(cell, type, view_.units, view_.terminal.unicode);
  }

  // The cell as text, at most `limit` columns wide. Sets width to its width.
  [[nodiscard]] std::string shown(const fs::Cell& cell, fs::CellType type, unsigned limit,
                                  unsigned& width) const {
    const auto* bytes = std::get_if<std::string>(&cell);
    if (bytes == nullptr || bytes->empty()) {
      std::string text = text_of(cell, type);
      width = static_cast<unsigned>(text.size());
      return text;
    }
    if (is_plain(*bytes) && bytes->size() <= limit) {
      width = static_cast<unsigned>(bytes->size());
      return *bytes;
    }
    const Label whole = label(*bytes);
    if (whole.width() <= limit) {
      width = whole.width();
      return whole.text();
    }
    width = limit;  // or one less, if the cut is at a wide character
    return whole.fitted(limit, view_.terminal.unicode ? "…" : "...");
  }

  [[nodiscard]] unsigned line_width() const {
    return view_.terminal.person ? view_.terminal.width : kEndless;
  }

  void list() {
    measure();
    fitted_ = fit_columns(columns_, widest_, line_width(), view_.path_part);
    const auto bounds = std::count_if(columns_.begin(), columns_.end(), [](const auto& column) {
      return column.type == fs::CellType::bound;  // shown as a mark, not as a column
    });
    left_out_ = columns_.size() - static_cast<std::size_t>(bounds) - fitted_.size();
    headings();
    for (std::size_t row = 0; row < rows() && text_.wanted(); ++row) {
      read_shown(table_, row, cells_);
      line();
    }
    if (rows() == table_.rows()) return;
    blanks(kIndent);
    const char* how = view_.top_fits ? " more; --top N shows N rows" : " more";
    put(paint_(Tone::faint, "and " + grouped(table_.rows() - rows()) + how));
    end_line();
  }

  // The number of rows to show.
  [[nodiscard]] std::size_t rows() const {
    return view_.top == 0 ? table_.rows() : std::min(table_.rows(), view_.top);
  }

  // Determines the width of the columns from all rows to show.
  void measure() {
    widest_.assign(columns_.size(), 0);
    for (std::size_t row = 0; row < rows(); ++row) {
      read_shown(table_, row, cells_);
      marked_ = marked_ || lower_bound();
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        widest_[i] = std::max(widest_[i], width_of(cells_[i], columns_[i].type));
      }
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].type == fs::CellType::bytes && marked_) ++widest_[i];
      widest_[i] = std::max(widest_[i], static_cast<unsigned>(columns_[i].heading.size()));
    }
  }

  [[nodiscard]] bool lower_bound() const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].type == fs::CellType::bound && is_true(cells_[i])) return true;
    }
    return false;
  }

  void headings() {
    for (std::size_t place = 0; place < fitted_.size(); ++place) {
      const auto [index, width] = fitted_[place];
      const std::string_view heading = columns_[index].heading.substr(0, width);
      begin_column(place);
      column(place, paint_(Tone::faint, heading), static_cast<unsigned>(heading.size()));
    }
    end_line();
  }

  void line() {
    const bool bound = lower_bound();
    for (std::size_t place = 0; place < fitted_.size(); ++place) {
      const auto [index, width] = fitted_[place];
      const fs::CellType type = columns_[index].type;
      const unsigned limit = view_.terminal.person ? width : kEndless;
      unsigned used = 0;
      const std::string text = shown(cells_[index], type, limit, used);
      begin_column(place);
      if (type == fs::CellType::bytes && marked_) {
        put_mark(bound);
        column(place, text, used, 1);
      } else {
        column(place, text, used);
      }
    }
    end_line();
  }

  void begin_column(std::size_t place) { blanks(place == 0 ? kIndent : kGap); }

  // Writes a text that is `used` columns wide, padded to the width of the column minus `written`.
  // The last column is not padded on the right.
  void column(std::size_t place, std::string_view text, unsigned used, unsigned written = 0) {
    const auto [index, width] = fitted_[place];
    const unsigned rest = width - std::min(width, used + written);
    const bool figure = is_figure(columns_[index].type);
    if (figure) blanks(rest);
    put(text);
    if (!figure && place + 1 < fitted_.size()) blanks(rest);
  }

  void record() {
    read_shown(table_, 0, cells_);
    marked_ = lower_bound();
    std::size_t names = 0;
    unsigned figures = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].type == fs::CellType::bound) continue;
      names = std::max(names, columns_[i].heading.size());
      if (!is_figure(columns_[i].type)) continue;
      figures = std::max(figures, width_of(cells_[i], columns_[i].type));
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].type != fs::CellType::bound) field(i, static_cast<unsigned>(names), figures);
    }
  }

  // A line of a record: the name, the value, and the exact number of bytes after a rounded size.
  void field(std::size_t i, unsigned names, unsigned figures) {
    const fs::CellType type = columns_[i].type;
    blanks(kIndent);
    put(columns_[i].heading);
    const unsigned before = lead_to_value(i, names, figures);
    if (marked_) put_mark(type == fs::CellType::bytes);
    const unsigned limit = line_width() - std::min(line_width(), before);
    unsigned used = 0;
    const std::string text = shown(cells_[i], type, limit, used);
    if (is_figure(type)) blanks(figures - std::min(figures, used));
    put(text);
    const auto* exact = std::get_if<std::uint64_t>(&cells_[i]);
    if (exact != nullptr && type == fs::CellType::bytes) {
      const std::string bytes = grouped(*exact) + " bytes";
      if (figures + kGap + bytes.size() <= limit) {
        blanks(kGap);
        put(paint_(Tone::faint, bytes));
      }
    }
    end_line();
  }

  // Moves from the name of a field to its value: to the right of the name, or to the next line if
  // the value does not fit there and gets much more room below. Returns the columns before the
  // value.
  unsigned lead_to_value(std::size_t i, unsigned names, unsigned figures) {
    const fs::Column& column = columns_[i];
    const unsigned mark = marked_ ? 1 : 0;
    const unsigned before = kIndent + names + kGap + mark;
    const unsigned beside = line_width() - std::min(line_width(), before);
    const bool figure = is_figure(column.type);
    const unsigned wanted = figure ? figures : width_of(cells_[i], column.type);
    if (wanted <= beside || (!figure && beside >= line_width() / 2)) {
      blanks(names - static_cast<unsigned>(column.heading.size()) + kGap);
      return before;
    }
    end_line();
    blanks(2 * kIndent);
    return 2 * kIndent + mark;
  }

  // Writes the mark in the column before a figure.
  void put_mark(bool lower_bound) {
    if (lower_bound) {
      put(paint_(Tone::warning, view_.lower_bound_mark()));
    } else {
      blanks(1);
    }
  }

  // Delays spaces until something follows them, so that no line ends with spaces.
  void blanks(unsigned count) { blanks_ += count; }
  void put(std::string_view part) {
    if (part.empty()) return;
    for (; blanks_ > 0; --blanks_) text_.put(' ');
    text_.put(part);
  }
  void end_line() {
    blanks_ = 0;
    text_.put('\n');
  }

  const fs::Table& table_;
  const std::vector<fs::Column>& columns_;
  const View& view_;
  const Paint paint_;
  fs::Blocks& text_;
  std::vector<fs::Cell> cells_;     // of the row that was read last
  std::vector<unsigned> widest_;    // the width that each column needs
  std::vector<TextColumn> fitted_;  // the columns to show
  std::size_t left_out_ = 0;        // columns that did not fit
  bool marked_ = false;             // some row is a lower bound
  unsigned blanks_ = 0;             // delayed spaces
};

}  // namespace

std::size_t write_text_table(const fs::Table& table, const View& view, fs::Blocks& text) {
  return TextTable(table, view, text).write();
}

}  // namespace fathom::cli
