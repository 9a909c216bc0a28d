// TextReport: writes reports and tree views in order, and notes about what is missing.

#include "scan/text_report.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fathom/fs/blocks.h"
#include "scan/explain_view.h"
#include "scan/headline.h"
#include "scan/missing_roots.h"
#include "scan/plain_table.h"
#include "scan/plain_tree_view.h"
#include "scan/text_table.h"
#include "scan/tree_view.h"
#include "select/selection_notes.h"
#include "term/number.h"
#include "term/paint.h"
#include "term/wrapped.h"

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
    if (table.key() == "explain") {
      write_explain_view(table, view_, text_);
    } else if (view_.plain) {
      write_plain_table(table, view_, text_);
    } else {
      left_out_ += write_text_table(table, view_, text_);
    }
  }

  void add_tree_view() {
    begin_part();
    text_.put(paint_(Tone::heading, tree_view_title()) + '\n');
    const std::string drawn =
        view_.plain ? plain_tree_view(input_, view_) : tree_view(input_, view_);
    text_.put(drawn.empty() ? "  none\n" : drawn);
  }

  void add_default() {
    if (totals_.whole().entries() == 0) return;
    begin_part();
    text_.put(view_.plain ? plain_headline(scan_, totals_, view_)
                          : headline(scan_, totals_, view_));
    add_tree_view();
  }

  // Writes notes about what is missing, unless the user sees a message about it on the same
  // terminal.
  void finish() {
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
    if (!scan_.excluded.empty()) notes += fitted(excluded_note(scan_.excluded.size())) + '\n';
    if (scan_.filtered_out != 0) notes += fitted(filtered_out(scan_.filtered_out)) + '\n';
    if (!notes.empty()) begin_part();
    text_.put(notes);
    text_.put(columns_note());
    text_.flush();
  }

 private:
  // Wrapped to the width of the terminal, except in a plain view.
  [[nodiscard]] std::string fitted(std::string_view sentence) const {
    const bool ends = view_.terminal.person && !view_.plain;
    return wrapped(sentence, 0, ends ? view_.terminal.width : Wrapped::kEndless);
  }

  // The columns that did not fit. Suggests CSV only for one report, because a CSV file holds one.
  [[nodiscard]] std::string columns_note() {
    if (left_out_ == 0) return "";
    begin_part();
    const std::string sentence = counted(left_out_, "column", "columns") +
                                 " hidden: widen the terminal or use --format " +
                                 (reports_ == 1 ? "csv" : "json");
    return paint_(Tone::faint, fitted(sentence)) + '\n';
  }

  void begin_part() {
    if (begun_) text_.put('\n');
    begun_ = true;
  }

  [[nodiscard]] std::string filtered_out(std::uint64_t entries) const {
    if (totals_.whole().entries() != 0) return filtered_out_note(entries);
    return "No entries match the filters (" + grouped(entries) + " checked).";
  }

  [[nodiscard]] std::string_view tree_view_title() const {
    if (view_.order == Order::count) return "Tree by number of entries";
    return view_.measure == fs::Measure::disk ? "Tree by disk usage" : "Tree by apparent size";
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
