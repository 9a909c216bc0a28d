#include "scan/text_report.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "fathom/fs/blocks.h"
#include "scan/headline.h"
#include "scan/ledger.h"
#include "scan/missing_roots.h"
#include "scan/picture.h"
#include "scan/plain_picture.h"
#include "scan/plain_table.h"
#include "scan/text_table.h"
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
      write_ledger(table, view_, text_);
    } else if (view_.plain) {
      write_plain_table(table, view_, text_);
    } else {
      left_out_ += write_text_table(table, view_, text_);
    }
  }

  void add_picture() {
    begin_part();
    text_.put(paint_(Tone::heading, picture_title()) + '\n');
    const std::string drawn = view_.plain ? plain_picture(input_, view_) : picture(input_, view_);
    text_.put(drawn.empty() ? "  none\n" : drawn);
  }

  void add_default() {
    if (totals_.whole().entries() == 0) return;
    begin_part();
    text_.put(view_.plain ? plain_headline(scan_, totals_, view_)
                          : headline(scan_, totals_, view_));
    add_picture();
  }

  // Says what the figures lack, unless a message says it in the same place.
  void finish() {
    std::string notes;
    if (!view_.beside_messages) {
      const std::size_t missing = missing_roots(scan_);
      const std::size_t unread = unread_entries(scan_);
      if (scan_.cancelled) note(notes, "Interrupted: this is what was found until then.");
      if (missing != 0) {
        note(notes, "Not found: " + counted(missing, "path", "paths") + " to scan.");
      }
      if (unread != 0) {
        note(notes, "Lower bound: " + counted(unread, "entry", "entries") + " could not be read.");
      }
    }
    if (!scan_.excluded.empty()) {
      notes += fitted("Left out: " + counted(scan_.excluded.size(), "entry", "entries") +
                      ", with all that is in them.") +
               '\n';
    }
    if (scan_.filtered_out != 0) notes += fitted(unwanted()) + '\n';
    if (!notes.empty()) begin_part();
    text_.put(notes);
    text_.put(columns_note());
    text_.flush();
  }

 private:
  // Lines end where the terminal does, but for who hears them.
  [[nodiscard]] std::string fitted(std::string_view sentence) const {
    const bool ends = view_.terminal.person && !view_.plain;
    return wrapped(sentence, 0, ends ? view_.terminal.width : Wrapped::kEndless);
  }

  // What the terminal has no room for; a CSV file holds but one report.
  [[nodiscard]] std::string columns_note() {
    if (left_out_ == 0) return "";
    begin_part();
    const std::string sentence = counted(left_out_, "column", "columns") +
                                 " left out: widen the terminal or use --format " +
                                 (reports_ == 1 ? "csv" : "json");
    return paint_(Tone::faint, fitted(sentence)) + '\n';
  }

  void begin_part() {
    if (begun_) text_.put('\n');
    begun_ = true;
  }

  [[nodiscard]] std::string unwanted() const {
    const std::string looked_at = counted(scan_.filtered_out, "entry", "entries");
    if (totals_.whole().entries() != 0) {
      return "Not counted: " + looked_at + " that were not asked for.";
    }
    return "Nothing counted: of " + looked_at + " none is what was asked for.";
  }

  [[nodiscard]] std::string_view picture_title() const {
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
  std::size_t left_out_ = 0;  // columns that the terminal has no room for
};

}  // namespace

void write_text(const fs::ReportInput& input, const std::vector<fs::Table>& reports,
                const std::vector<std::size_t>& pictures, const View& view, const fs::Sink& sink) {
  TextReport text(input, view, sink);
  if (reports.empty() && pictures.empty()) text.add_default();
  auto next = pictures.begin();
  for (std::size_t i = 0; i <= reports.size(); ++i) {
    for (; next != pictures.end() && *next <= i; ++next) text.add_picture();
    if (i < reports.size()) text.add(reports[i]);
  }
  text.finish();
}

}  // namespace fathom::cli
