#include "scan/text_report.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "fathom/base/clock.h"
#include "scan/picture.h"
#include "term/label.h"
#include "term/number.h"
#include "term/paint.h"

namespace fathom::cli {

namespace {

std::string duration(double seconds) {
  return base::format_duration(std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9)));
}

// Entries per second; what took no time that the clock can tell has no rate.
std::string rate(std::uint64_t entries, double seconds) {
  if (seconds <= 0) return "";
  return grouped(static_cast<std::uint64_t>(static_cast<double>(entries) / seconds)) + "/s";
}

class TextReport {
 public:
  TextReport(const fs::Scan& scan, const fs::Totals& totals, const View& view)
      : scan_(scan), totals_(totals), view_(view), paint_(view.terminal.color) {}

  void add(const fs::ReportRequest& request) {
    if (!text_.empty()) text_ += '\n';
    switch (request.kind) {
      case fs::ReportKind::summary:
        return summary();
      case fs::ReportKind::largest_files:
        return largest_files(request.count);
      case fs::ReportKind::largest_dirs:
        return largest_dirs(request.count);
      case fs::ReportKind::errors:
        return errors();
    }
  }

  void add_default() {
    if (totals_.whole().entries() == 0) return;
    headline();
    text_ += '\n' + picture(scan_, totals_, view_);
  }

  // Says what the figures lack.
  void add_notes() {
    const std::string unreadable = counted(scan_.errors.size(), "entry", "entries");
    std::string notes;
    if (scan_.cancelled) note(notes, "Interrupted: this is what was found until then.");
    if (!scan_.errors.empty()) note(notes, "Lower bound: " + unreadable + " could not be read.");
    if (notes.empty()) return;
    if (!text_.empty()) text_ += '\n';
    text_ += notes;
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  struct Line {
    std::string figure;  // aligned to the right
    std::string meaning;
    bool lower_bound = false;
  };

  // The figures of some lines, one below the other, with a column for marks only if there are any.
  class Figures {
   public:
    explicit Figures(const TextReport& report) : report_(report) {}
    Figures(const TextReport& report, const std::vector<Line>& lines) : report_(report) {
      for (const Line& line : lines) fit(line);
    }
    void fit(const Line& line) {
      widest_ = std::max(widest_, line.figure.size());
      marked_ = marked_ || line.lower_bound;
    }
    [[nodiscard]] std::string operator()(const Line& line, Tone tone) const {
      const std::string mark = line.lower_bound ? report_.mark() : marked_ ? " " : "";
      return mark + report_.paint_(tone, right(line.figure, widest_));
    }

   private:
    const TextReport& report_;
    std::size_t widest_ = 0;
    bool marked_ = false;
  };

  [[nodiscard]] std::string mark() const { return paint_(Tone::warning, view_.lower_bound_mark()); }

  void note(std::string& notes, const std::string& sentence) const {
    notes += paint_(Tone::warning, sentence) + '\n';
  }

  void heading(std::string_view text) { text_ += paint_(Tone::heading, text) + '\n'; }

  [[nodiscard]] std::string bytes(std::uint64_t amount) const {
    return base::format_bytes(amount, view_.units);
  }

  void headline() {
    const fs::Counts& whole = totals_.whole();
    const bool bound = !scan_.complete();
    const std::string apparent = (bound ? mark() : "") + bytes(whole.apparent_bytes);
    const std::vector<Line> lines = {
        {bytes(whole.disk_bytes), "on disk, " + apparent + " apparent", bound},
        {grouped(whole.entries()), kinds(whole)},
        {duration(scan_.seconds), rate(whole.entries(), scan_.seconds)},
    };
    const Figures figures(*this, lines);
    for (const Line& line : lines) {
      text_ += "  " + figures(line, Tone::strong) + "  " + line.meaning + '\n';
    }
  }

  // "entries: 2 files, 1 directory", as many kinds as fit in the line.
  [[nodiscard]] std::string kinds(const fs::Counts& counts) const {
    constexpr unsigned kIndent = 16;
    std::string text = counts.entries() == 1 ? "entry" : "entries";
    std::string separator = ": ";
    const auto add = [&](std::uint64_t number, std::string_view one, std::string_view many) {
      const std::string part = separator + counted(number, one, many);
      if (number == 0 || kIndent + text.size() + part.size() > view_.terminal.width) return;
      text += part;
      separator = ", ";
    };
    add(counts.files, "file", "files");
    add(counts.dirs, "directory", "directories");
    add(counts.symlinks, "symlink", "symlinks");
    add(counts.others, "other", "others");
    return text;
  }

  void summary() {
    const fs::Counts& whole = totals_.whole();
    heading("Summary");
    const auto size = [&](std::uint64_t amount) {
      return Line{bytes(amount), grouped(amount) + " bytes", !scan_.complete()};
    };
    const std::pair<std::string_view, Line> lines[] = {
        {"Disk usage", size(whole.disk_bytes)},
        {"Apparent size", size(whole.apparent_bytes)},
        {"Files", {grouped(whole.files), ""}},
        {"Directories", {grouped(whole.dirs), ""}},
        {"Symbolic links", {grouped(whole.symlinks), ""}},
        {"Others", {grouped(whole.others), ""}},
        {"Entries", {grouped(whole.entries()), ""}},
        {"Unreadable", {grouped(scan_.errors.size()), ""}},
        {"Vanished", {grouped(scan_.changed), ""}},
        {"Time", {duration(scan_.seconds), rate(whole.entries(), scan_.seconds)}},
    };
    Figures figures(*this);
    for (const auto& [name, line] : lines) figures.fit(line);
    for (const auto& [name, line] : lines) {
      text_ += "  " + std::string(name) + std::string(14 - name.size(), ' ');
      text_ += "  " + figures(line, Tone::plain);
      if (!line.meaning.empty()) text_ += "  " + paint_(Tone::faint, line.meaning);
      text_ += '\n';
    }
  }

  void largest_files(std::size_t count) {
    std::vector<Line> lines;
    for (const fs::NodeId node : fs::largest_files(scan_.tree, count, view_.measure)) {
      const std::uint64_t size = fs::bytes_of(scan_.tree.entry(node), view_.measure);
      lines.push_back({bytes(size), escaped(scan_.tree.path(node))});
    }
    list("Largest files", lines);
  }

  void largest_dirs(std::size_t count) {
    std::vector<Line> lines;
    for (const fs::DirId id : fs::largest_directories(scan_.tree, totals_, count, view_.measure)) {
      const std::uint64_t size = fs::bytes_of(totals_.below(id), view_.measure);
      const std::string path = escaped(scan_.tree.path(scan_.tree.node(id)));
      lines.push_back({bytes(size), path, totals_.lower_bound(id)});
    }
    list("Largest directories", lines);
  }

  void list(std::string_view title, const std::vector<Line>& lines) {
    heading(title);
    if (lines.empty()) text_ += "  none\n";
    const Figures figures(*this, lines);
    for (const Line& line : lines) {
      text_ += "  " + figures(line, Tone::plain) + "  " + line.meaning + '\n';
    }
  }

  void errors() {
    heading("Errors");
    if (scan_.errors.empty()) text_ += "  none\n";
    for (const fs::ScanError& error : scan_.errors) text_ += "  " + describe(error) + '\n';
  }

  const fs::Scan& scan_;
  const fs::Totals& totals_;
  const View& view_;
  const Paint paint_;
  std::string text_;
};

}  // namespace

std::string text_report(const fs::Scan& scan, const fs::Totals& totals,
                        const std::vector<fs::ReportRequest>& reports, const View& view) {
  TextReport report(scan, totals, view);
  if (reports.empty()) report.add_default();
  for (const fs::ReportRequest& request : reports) report.add(request);
  report.add_notes();
  return report.take();
}

std::string describe(const fs::ScanError& error) {
  return "cannot " + std::string(error.operation) + ' ' + escaped(error.path) + ": " +
         std::generic_category().message(error.code);
}

}  // namespace fathom::cli
