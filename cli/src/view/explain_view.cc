// ExplainView: the rows of fs::explain() as an indented sum, in columns or in words.

#include "view/explain_view.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "term/label.h"
#include "term/number.h"
#include "term/paint.h"
#include "term/wrapped.h"
#include "view/explain_rows.h"

namespace fathom::cli {

namespace {

constexpr unsigned kMargin = 2;
constexpr unsigned kNarrow = 60;  // columns
constexpr unsigned kShortestRow = 8;

class ExplainViewWriter {
 public:
  ExplainViewWriter(const View& view, fs::Blocks& text)
      : view_(view),
        detail_(view.verbose ? ExplainDetail::all : ExplainDetail::notable),
        paint_(view.terminal.color),
        text_(text) {}

  void write(const fs::Table& table) {
    text_.put(paint_(Tone::heading, table.title()) + '\n');
    const std::vector<ExplainLedger> ledgers = explain_ledgers(table, view_.units, detail_);
    if (ledgers.empty()) text_.put("  none\n");
    std::size_t left_out = 0;
    for (const ExplainLedger& ledger : ledgers) {
      for (const ExplainRow& row : ledger.rows) widest_ = std::max(widest_, figure(row).size());
    }
    for (const ExplainLedger& ledger : ledgers) {
      if (&ledger != &ledgers.front()) text_.put('\n');
      put(ledger);
      left_out += ledger.left_out;
    }
    if (left_out == 0) return;
    const std::string sentence = counted(left_out, "minor row", "minor rows") +
                                 " hidden; --verbose shows " + (left_out == 1 ? "it." : "them.");
    text_.put('\n' + paint_(Tone::faint, wrapped(sentence, 0, columns())) + '\n');
  }

 private:
  // Lines are wrapped only on a terminal.
  [[nodiscard]] unsigned columns() const {
    return view_.terminal.person && !view_.plain ? view_.terminal.width : Wrapped::kEndless;
  }

  [[nodiscard]] std::string fitted(const Label& label, unsigned room) const {
    return label.fitted(room, view_.terminal.unicode ? "\u2026" : "...");
  }
  [[nodiscard]] Label label(std::string_view bytes) const {
    return {bytes, view_.terminal.unicode};
  }

  // "1.0 MiB", "-1,000"; "?" if unknown.
  [[nodiscard]] std::string figure(const ExplainRow& row) const {
    if (!row.bytes) return "?";
    return (*row.bytes < 0 ? "-" : "") + explain_size(magnitude(*row.bytes), view_.units, detail_);
  }

  void put(const ExplainLedger& ledger) {
    put_filesystem(ledger);
    for (const ExplainRow& row : ledger.rows) put(row);
    for (const std::string& note : ledger.notes) put_note(note);
  }

  void put_filesystem(const ExplainLedger& ledger) {
    const std::string type = ledger.type.empty() ? "" : " (" + label(ledger.type).text() + ')';
    const unsigned beside = kMargin + static_cast<unsigned>(type.size());
    const std::string name =
        fitted(label(ledger.filesystem), columns() - std::min(columns(), beside));
    if (view_.plain) {
      text_.put("Filesystem: " + name + type + '\n');
    } else {
      text_.put(std::string(kMargin, ' ') + paint_(Tone::strong, name) + type + '\n');
    }
  }

  void put(const ExplainRow& row) {
    std::string line = view_.plain ? in_words(row) + ", " : in_columns(row);
    line += said(row, static_cast<unsigned>(line.size()));
    text_.put(line + '\n');
  }

  // The figure, followed by an indentation for the depth of the part. Narrow terminals get a
  // smaller one.
  [[nodiscard]] std::string in_columns(const ExplainRow& row) const {
    const bool narrow = columns() < kNarrow;
    const std::size_t step = narrow ? 1 : 2;
    std::string text(narrow ? step : kMargin + step, ' ');
    text += right(figure(row), widest_);
    text.append(step + step * row.depth, ' ');
    return text;
  }

  [[nodiscard]] std::string in_words(const ExplainRow& row) const {
    const std::string_view of = row.depth == 0   ? ""
                                : row.depth == 1 ? " of the size"
                                                 : " of the used space";
    if (!row.bytes) return "An unknown part" + std::string(of);
    const std::string size = explain_size(magnitude(*row.bytes), view_.units, detail_);
    const std::string unit = detail_ == ExplainDetail::all ? " bytes" : "";
    return (*row.bytes < 0 ? "minus " : "") + size + unit + std::string(of);
  }

  // The text of the row, wrapped with that margin. Numbers are never shortened.
  [[nodiscard]] std::string said(const ExplainRow& row, unsigned margin) const {
    Wrapped text(margin, columns());
    for (const ExplainPart& part : row.words) {
      if (!part.is_name) {
        text.add(part.bytes);
        continue;
      }
      const Label name = label(part.bytes);
      const unsigned room = std::max(text.room(), kShortestRow);
      text.add_word(fitted(name, room), std::min(name.width(), room));
    }
    return text.text();
  }

  // Begins on its own line.
  void put_note(const std::string& note) {
    const std::string margin(view_.plain ? 0 : kMargin, ' ');
    text_.put(paint_(Tone::warning, margin + wrapped(note, kMargin, columns())) + '\n');
  }

  const View& view_;
  const ExplainDetail detail_;
  const Paint paint_;
  fs::Blocks& text_;
  std::size_t widest_ = 0;  // of the figures
};

}  // namespace

void write_explain_view(const fs::Table& table, const View& view, fs::Blocks& text) {
  ExplainViewWriter(view, text).write(table);
}

}  // namespace fathom::cli
