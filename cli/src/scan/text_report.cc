#include "scan/text_report.h"

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

namespace fathom::cli {

namespace {

class TextReport {
 public:
  TextReport(const fs::ReportInput& input, const View& view, const fs::Sink& sink)
      : scan_(input.scan()),
        totals_(input.totals()),
        view_(view),
        paint_(view.terminal.color),
        text_(sink) {}

  void add(const fs::Table& table) {
    begin_part();
    if (view_.plain) {
      write_plain_table(table, view_, text_);
    } else if (table.key() == "explain") {
      write_ledger(table, view_, text_);
    } else {
      write_text_table(table, view_, text_);
    }
  }

  void add_picture() {
    begin_part();
    text_.put(paint_(Tone::heading, picture_title()) + '\n');
    const std::string drawn =
        view_.plain ? plain_picture(scan_, totals_, view_) : picture(scan_, totals_, view_);
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
    if (!scan_.left_out.empty()) {
      notes += "Left out: " + counted(scan_.left_out.size(), "entry", "entries") +
               ", with all that is in them.\n";
    }
    if (scan_.unwanted != 0) {
      notes += "Not counted: " + counted(scan_.unwanted, "entry", "entries") +
               " that were not asked for.\n";
    }
    if (!notes.empty()) begin_part();
    text_.put(notes);
    text_.flush();
  }

 private:
  void begin_part() {
    if (begun_) text_.put('\n');
    begun_ = true;
  }

  [[nodiscard]] std::string_view picture_title() const {
    if (view_.order == Order::count) return "Tree by number of entries";
    return view_.measure == fs::Measure::disk ? "Tree by disk usage" : "Tree by apparent size";
  }

  void note(std::string& notes, const std::string& sentence) const {
    notes += paint_(Tone::warning, sentence) + '\n';
  }

  const fs::Scan& scan_;
  const fs::Totals& totals_;
  const View& view_;
  const Paint paint_;
  fs::Blocks text_;
  bool begun_ = false;
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
