// FoundResults: a list of paths, a table of matches, or a table of sums.

#include "view/found_results.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fathom/base/bytes.h"
#include "fathom/fs/blocks.h"
#include "fathom/fs/csv.h"
#include "term/label.h"
#include "term/message.h"
#include "term/number.h"
#include "term/wrapped.h"
#include "view/arranged_table.h"
#include "view/one_table.h"
#include "view/plain_table.h"
#include "view/scan_messages.h"
#include "view/text_table.h"
#include "view/view.h"

namespace fathom::cli {

namespace {

// "2,503 checked": without a match, the user sees that something was looked at.
std::string checked_of(const fs::Found& found) {
  return " (" + grouped(found.checked) + " checked)";
}

// "; names must match completely, try '*node*'", unless all patterns have wildcards.
std::string hint_of(const fs::FindQuery& query) {
  const auto found = std::find_if_not(query.patterns.begin(), query.patterns.end(), has_wildcards);
  if (found == query.patterns.end()) return "";
  return "; names must match completely, try '*" + escaped(*found) + "*'";
}

class FoundResults {
 public:
  FoundResults(const FindRequest& request, const fs::ReportInput& input, const fs::FindQuery& query,
               const fs::Found& found, const View& view, const fs::Sink& sink)
      : request_(request),
        input_(input),
        query_(query),
        found_(found),
        view_(view),
        sink_(sink),
        matches_(arranged_matches()) {}

  void write() {
    switch (request_.format) {
      case TableFormat::json:
        return fs::write_found_json(input_.scan(), query_, found_,
                                    request_.summary ? nullptr : &matches_, sink_);
      case TableFormat::csv:
        return fs::write_csv(request_.summary ? sums() : matches_, sink_, request_.csv_texts);
      case TableFormat::text:
        break;
    }
    if (request_.summary) return write_table(sums());
    if (request_.details) return write_table(matches_);
    write_paths();
  }

 private:
  [[nodiscard]] fs::Table arranged_matches() const {
    Arrangement arrangement{request_.order, request_.measure, request_.top};
    arrangement.keeps_rest = request_.details;  // it says how many more there are
    return arranged(fs::found_table(input_, found_), arrangement);
  }

  [[nodiscard]] fs::Table sums() const {
    return arranged(fs::found_sums_table(query_, found_, request_.measure),
                    {request_.order, request_.measure});
  }

  void write_paths() {
    fs::Blocks text(sink_);
    std::vector<fs::Cell> cells;
    std::uint64_t broken = 0;
    for (std::size_t row = 0; row < matches_.rows() && text.wanted(); ++row) {
      matches_.read(row, cells);
      const std::string& path = std::get<std::string>(cells.front());
      const bool breaks = path.find('\n') != std::string::npos;
      if (request_.print0) {
        text.put(path);
        text.put('\0');
      } else {
        const bool escapes = breaks || view_.terminal.person;
        text.put(escapes ? escaped(path, view_.terminal.unicode) : path);
        text.put('\n');
        if (breaks && !view_.terminal.person) ++broken;
      }
    }
    text.flush();
    if (found_.entries.empty()) {
      print_message("no entries match" + checked_of(found_) + hint_of(query_));
    }
    if (broken != 0) {
      print_message(counted(broken, "path contains", "paths contain") + " a newline and " +
                    (broken == 1 ? "is" : "are") + " escaped; -0 writes " +
                    (broken == 1 ? "it" : "them") + " unchanged");
    }
  }

  void write_table(const fs::Table& table) {
    fs::Blocks text(sink_);
    View view = view_;
    if (request_.summary) view.top = 0;
    std::size_t hidden = 0;
    if (view.plain) {
      write_plain_table(table, view, text);
    } else {
      hidden = write_text_table(table, view, text);
    }
    text.put('\n');
    for (const std::string& note : notes(hidden)) {
      const bool fits = view.terminal.person && !view.plain;
      text.put(wrapped(note, 0, fits ? view.terminal.width : Wrapped::kEndless));
      text.put('\n');
    }
    text.flush();
  }

  // Sentences below a table; at least one.
  [[nodiscard]] std::vector<std::string> notes(std::size_t hidden_columns) const {
    const fs::Scan& scan = input_.scan();
    std::vector<std::string> notes;
    if (found_.entries.empty()) {
      notes.push_back("No entries match" + checked_of(found_) + hint_of(query_) + '.');
    } else {
      const std::uint64_t bytes = bytes_of(found_.total.counts, request_.measure);
      notes.push_back(counted(found_.total.matches, "match", "matches") + ", " +
                      (found_.total.lower_bound ? "at least " : "") +
                      base::format_bytes(bytes, request_.units) +
                      (found_.total.matches == 1 ? "." : " together."));
    }
    for (std::string& sentence : excluded_notes(scan)) notes.push_back(std::move(sentence));
    if (scan.filtered_out != 0) notes.push_back(filtered_out_note(scan.filtered_out, false));
    if (hidden_columns != 0) {
      notes.push_back(hidden_columns_note(hidden_columns, "csv"));
    }
    return notes;
  }

  const FindRequest& request_;
  const fs::ReportInput& input_;
  const fs::FindQuery& query_;
  const fs::Found& found_;
  const View view_;
  const fs::Sink& sink_;
  const fs::Table matches_;
};

}  // namespace

void write_results(const FindRequest& request, const fs::ReportInput& input,
                   const fs::FindQuery& query, const fs::Found& found, Output& output) {
  const fs::Sink sink = output.sink();
  FoundResults(request, input, query, found, common_view(request, output.descriptor()), sink)
      .write();
  output.finish();
}

}  // namespace fathom::cli
