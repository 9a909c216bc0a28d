#include "scan/text_report.h"

#include <string_view>
#include <system_error>

#include "fathom/fs/blocks.h"
#include "scan/headline.h"
#include "scan/picture.h"
#include "scan/text_table.h"
#include "term/label.h"
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
    write_text_table(table, view_, text_);
  }

  void add_picture() {
    begin_part();
    text_.put(paint_(Tone::heading, "Tree") + '\n');
    const std::string drawn = picture(scan_, totals_, view_);
    text_.put(drawn.empty() ? "  none\n" : drawn);
  }

  void add_default() {
    if (totals_.whole().entries() == 0) return;
    begin_part();
    text_.put(headline(scan_, totals_, view_));
    text_.put('\n' + picture(scan_, totals_, view_));
  }

  // Says what the figures lack.
  void finish() {
    const std::string unreadable = counted(scan_.errors.size(), "entry", "entries");
    std::string notes;
    if (scan_.cancelled) note(notes, "Interrupted: this is what was found until then.");
    if (!scan_.errors.empty()) note(notes, "Lower bound: " + unreadable + " could not be read.");
    if (!notes.empty()) begin_part();
    text_.put(notes);
    text_.flush();
  }

 private:
  void begin_part() {
    if (begun_) text_.put('\n');
    begun_ = true;
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

std::string describe(const fs::ScanError& error) {
  return "cannot " + std::string(error.operation) + ' ' + escaped(error.path) + ": " +
         std::generic_category().message(error.code);
}

}  // namespace fathom::cli
