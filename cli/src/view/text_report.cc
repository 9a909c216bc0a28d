// TextReport: writes reports and tree views in order, and notes about what is missing.

#include "view/text_report.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "fathom/fs/blocks.h"
#include "term/number.h"
#include "term/paint.h"
#include "term/wrapped.h"
#include "view/apart_rows.h"
#include "view/explain_view.h"
#include "view/headline.h"
#include "view/one_table.h"
#include "view/plain_table.h"
#include "view/scan_messages.h"
#include "view/text_table.h"
#include "view/tree_view.h"

namespace fathom::cli {

namespace {

class TextReport {
 public:
  TextReport(const fs::ReportInput& input, const View& view, const fs::Sink& sink)
      : input_(input),
        scan_(input.scan()),
        totals_(input.totals()),
        view_(view),
        paint_(view.terminal.color),
        text_(sink) {}

  void add(const fs::Table& table) {
    begin_part();
    ++reports_;
    if (table.key() == fs::report_info(fs::ReportKind::explain).head.key) {
      write_explain_view(table, view_, text_);
    } else if (table.head().order == fs::RowOrder::apart) {
      const ApartRows parts(table);
      std::size_t left_out = write_table(parts.others());
      if (!parts.empty()) {
        begin_part();
        left_out = std::max(left_out, write_table(parts.apart()));
      }
      left_out_ += left_out;
    } else {
      left_out_ += write_table(table);
    }
    if (table.head().note.empty()) return;
    std::string note(table.head().note);
    if (table.key() == fs::report_info(fs::ReportKind::largest_dirs).head.key) {
      note += " (--all-levels shows them).";
    }
    text_.put('\n' + paint_(Tone::faint, fitted(note)) + '\n');
  }

  // `above` is the number of lines that belong to the tree view and are above it.
  void add_tree_view(std::size_t above = 0) {
    begin_part();
    text_.put(view_.plain ? plain_tree_view(input_, view_)
                          : tree_view(input_, view_, above + lines_below()));
  }

  void add_default() {
    if (totals_.whole().entries() == 0) return;
    begin_part();
    const std::string head =
        view_.plain ? plain_headline(scan_, totals_, view_) : headline(scan_, totals_, view_);
    text_.put(head);
    add_tree_view(lines_of(head) + 1);
  }

  void finish() {
    const std::string text = notes();
    if (!text.empty()) begin_part();
    text_.put(text);
    text_.put(columns_note());
    text_.flush();
  }

 private:
  [[nodiscard]] static std::size_t lines_of(std::string_view text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  // The lines on the screen below a tree view: notes, messages and the prompt.
  [[nodiscard]] std::size_t lines_below() const {
    const std::size_t noted = lines_of(notes());
    return (noted == 0 ? 0 : noted + 1) + view_.message_lines + 1;
  }

  // Notes about what is missing, unless the user sees a message about it on the same terminal.
  [[nodiscard]] std::string notes() const {
    std::string notes;
    if (!view_.beside_messages) {
      const std::size_t missing = missing_roots(scan_);
      const std::size_t unread = unread_entries(scan_);
      if (scan_.cancelled) note(notes, "Interrupted: the results are incomplete.");
      if (missing != 0) {
        note(notes, "Not found: " + counted(missing, "path", "paths") + " to scan.");
      }
      if (unread != 0) {
        note(notes, "Sizes are lower bounds: " + counted(unread, "entry", "entries") +
                        " could not be read.");
      }
    }
    for (const std::string& sentence : excluded_notes(scan_)) notes += fitted(sentence) + '\n';
    if (scan_.filtered_out != 0) {
      const bool all = totals_.whole().entries() == 0;
      notes += fitted(filtered_out_note(scan_.filtered_out, all)) + '\n';
    }
    return notes;
  }

  // Lists of any length get as many rows as the terminal has. Lists with a row for each range, and
  // lists whose length the user gave, are complete.
  [[nodiscard]] View view_of(const fs::Table& table) const {
    constexpr std::size_t kFewestRows = 3;
    constexpr std::size_t kRowsAround = 5;  // title, headings, count of the others, columns_note()
    View view = view_;
    const auto has_length = [&table](const fs::ReportInfo& info) {
      return info.head.key == table.key() && info.argument == fs::ReportArgument::count;
    };
    const fs::RowOrder order = table.head().order;
    const bool is_open = (order == fs::RowOrder::free || order == fs::RowOrder::apart) &&
                         std::none_of(fs::kReports.begin(), fs::kReports.end(), has_length);
    const std::size_t height = view.terminal.height;
    if (view.top != 0 || !view.terminal.person || height == 0 || !is_open) return view;
    const std::size_t note = table.head().note.empty() ? 0 : 2;
    const std::size_t around = kRowsAround + note + lines_below();
    view.top = std::max(kFewestRows, height - std::min(height, around));
    view.top_fits = true;
    return view;
  }

  // Returns the number of columns that did not fit.
  std::size_t write_table(const fs::Table& table) {
    if (!view_.plain) return write_text_table(table, view_of(table), text_);
    write_plain_table(table, view_, text_);
    return 0;
  }

  // Wrapped to the width of the terminal, except in a plain view.
  [[nodiscard]] std::string fitted(std::string_view sentence) const {
    const bool ends = view_.terminal.person && !view_.plain;
    return wrapped(sentence, 0, ends ? view_.terminal.width : Wrapped::kEndless);
  }

  // The columns that did not fit. Suggests CSV only for one report, because a CSV file holds one.
  [[nodiscard]] std::string columns_note() {
    if (left_out_ == 0) return "";
    begin_part();
    const std::string sentence = hidden_columns_note(left_out_, reports_ == 1 ? "csv" : "json");
    return paint_(Tone::faint, fitted(sentence)) + '\n';
  }

  void begin_part() {
    if (begun_) text_.put('\n');
    begun_ = true;
  }

  void note(std::string& notes, const std::string& sentence) const {
    notes += paint_(Tone::warning, fitted(sentence)) + '\n';
  }

  const fs::ReportInput& input_;
  const fs::Scan& scan_;
  const fs::Totals& totals_;
  const View& view_;
  const Paint paint_;
  fs::Blocks text_;
  bool begun_ = false;
  std::size_t reports_ = 0;
  std::size_t left_out_ = 0;  // columns that did not fit
};

}  // namespace

void write_text(const fs::ReportInput& input, const std::vector<fs::Table>& reports,
                const std::vector<std::size_t>& tree_views, const View& view,
                const fs::Sink& sink) {
  TextReport text(input, view, sink);
  if (reports.empty() && tree_views.empty()) text.add_default();
  auto next = tree_views.begin();
  for (std::size_t i = 0; i <= reports.size(); ++i) {
    for (; next != tree_views.end() && *next <= i; ++next) text.add_tree_view();
    if (i < reports.size()) text.add(reports[i]);
  }
  text.finish();
}

}  // namespace fathom::cli
