// ExplainView: the rows of fs::explain() as an indented sum, in columns or in words.

#include "scan/explain_view.h"

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
#include "term/wrapped.h"

namespace fathom::cli {

namespace {

constexpr unsigned kMargin = 2;
constexpr unsigned kNarrow = 60;  // columns
constexpr unsigned kShortestRow = 8;

// A row of the report, with access by column name.
class Row {
 public:
  Row(const fs::Table& table, std::size_t row) : columns_(table.columns()) {
    table.read(row, cells_);
  }

  [[nodiscard]] std::string_view text(std::string_view key) const {
    const auto* found = std::get_if<std::string>(&cell(key));
    return found == nullptr ? std::string_view() : *found;
  }
  [[nodiscard]] const std::int64_t* number(std::string_view key) const {
    return std::get_if<std::int64_t>(&cell(key));
  }
  [[nodiscard]] std::uint64_t count() const {
    const auto* found = std::get_if<std::uint64_t>(&cell("count"));
    return found == nullptr ? 0 : *found;
  }

 private:
  [[nodiscard]] const fs::Cell& cell(std::string_view key) const {
    std::size_t at = 0;
    while (columns_[at].key != key) ++at;
    return cells_[at];
  }

  const std::vector<fs::Column>& columns_;
  std::vector<fs::Cell> cells_;
};

// A part of the text of a row: words, or a name, which is not broken but may be shortened.
struct Part {
  std::string bytes;
  bool is_name = false;
};
using Parts = std::vector<Part>;

std::uint64_t magnitude(std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  return number < 0 ? std::uint64_t{0} - bits : bits;
}

// "1,000", "-1,000"; "?" if unknown.
std::string figure(const Row& row) {
  const std::int64_t* const bytes = row.number("bytes");
  if (bytes == nullptr) return "?";
  return (*bytes < 0 ? "-" : "") + grouped(magnitude(*bytes));
}

// The processes that have a deleted file open.
void add_holders(Parts& parts, const Row& row) {
  const std::int64_t* const pid = row.number("pid");
  parts.push_back({'(' + std::string(row.text("command")) + ',', true});
  std::string text = "process " + (pid == nullptr ? "?" : std::to_string(*pid));
  if (row.count() > 1) text += ", and " + grouped(row.count() - 1) + " more";
  parts.push_back({text + ')'});
}

std::string inodes(const Row& row) {
  return row.count() == 0 ? "" : ": " + counted(row.count(), "inode", "inodes");
}

std::string entries(const Row& row) {
  return counted(row.count(), "entry", "entries");
}

// How much the used space changed during the scan. The scan may or may not have found these bytes.
std::string change(const Row& row) {
  const std::int64_t* const grown = row.number("grown_bytes");
  if (grown == nullptr || *grown == 0) return "";
  return std::string("; it ") + (*grown < 0 ? "shrank" : "grew") + " by " +
         counted(magnitude(*grown), "byte", "bytes") + " during the scan";
}

// The text of a row.
Parts words(const Row& row) {
  const std::string_view item = row.text("item");
  const Part path{std::string(row.text("path")), true};
  if (item == "size") return {{"size" + inodes(row)}};
  if (item == "available") return {{"free for all users"}};
  if (item == "reserved") return {{"free, but reserved"}};
  if (item == "used") return {{"used" + inodes(row) + change(row)}};
  if (item == "found") return {{"found: " + entries(row)}};
  if (item == "deleted_open") {
    Parts parts = {{"deleted but still open:"}, path};
    add_holders(parts, row);
    return parts;
  }
  if (item == "unseen_processes") {
    return {{"open in " + counted(row.count(), "process", "processes") +
             " that this user may not inspect"}};
  }
  if (item == "hidden") return {{"hidden by the mount at"}, path};
  if (item == "unreadable") return {{"in " + entries(row) + " that could not be read"}};
  if (item == "left_out") return {{"in " + entries(row) + " that the scan excluded"}};
  if (item == "not_wanted") return {{"in entries that were filtered out"}};
  if (item == "rest") return {{"the rest: metadata, and files that were not found"}};
  return {{std::string(item)}};
}

unsigned depth_of(const Row& row) {
  const std::string_view of = row.text("of");
  if (of.empty()) return 0;
  return of == "size" ? 1 : 2;
}

class ExplainViewWriter {
 public:
  ExplainViewWriter(const fs::Table& table, const View& view, fs::Blocks& text)
      : table_(table), view_(view), paint_(view.terminal.color), text_(text) {}

  void write() {
    text_.put(paint_(Tone::heading, table_.title()) + '\n');
    if (table_.rows() == 0) text_.put("  none\n");
    for (std::size_t i = 0; i < table_.rows(); ++i) {
      widest_ = std::max(widest_, figure(Row(table_, i)).size());
    }
    std::vector<std::string> notes;
    for (std::size_t i = 0; i < table_.rows(); ++i) {
      const Row row(table_, i);
      if (row.text("item") == "size") {
        put_notes(notes);
        if (i > 0) text_.put('\n');
        put_filesystem(row);
      }
      put(row);
      if (!row.text("note").empty()) notes.emplace_back(row.text("note"));
    }
    put_notes(notes);
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

  void put_filesystem(const Row& row) {
    std::string type(row.text("type"));
    if (!type.empty()) type = " (" + label(type).text() + ')';
    const unsigned beside = kMargin + static_cast<unsigned>(type.size());
    const std::string name =
        fitted(label(row.text("filesystem")), columns() - std::min(columns(), beside));
    if (view_.plain) {
      text_.put("Filesystem: " + name + type + '\n');
    } else {
      text_.put(std::string(kMargin, ' ') + paint_(Tone::strong, name) + type + '\n');
    }
  }

  void put(const Row& row) {
    std::string line = view_.plain ? in_words(row) + ", " : in_columns(row);
    line += said(row, static_cast<unsigned>(line.size()));
    text_.put(line + '\n');
  }

  // The figure, followed by an indentation for the depth of the part. Narrow terminals get a
  // smaller one.
  [[nodiscard]] std::string in_columns(const Row& row) const {
    const bool narrow = columns() < kNarrow;
    const std::size_t step = narrow ? 1 : 2;
    std::string text(narrow ? step : kMargin + step, ' ');
    text += right(figure(row), widest_);
    text.append(step + step * depth_of(row), ' ');
    return text;
  }

  [[nodiscard]] static std::string in_words(const Row& row) {
    const unsigned depth = depth_of(row);
    const std::string of = depth == 0 ? "" : depth == 1 ? " of the size" : " of the used space";
    const std::int64_t* const bytes = row.number("bytes");
    if (bytes == nullptr) return "An unknown part" + of;
    return (*bytes < 0 ? "minus " : "") + grouped(magnitude(*bytes)) + " bytes" + of;
  }

  // The text of the row, wrapped with that margin. Numbers are never shortened.
  [[nodiscard]] std::string said(const Row& row, unsigned margin) const {
    Wrapped text(margin, columns());
    for (const Part& part : words(row)) {
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

  // Each note begins on its own line.
  void put_notes(std::vector<std::string>& notes) {
    for (const std::string& note : notes) {
      const std::string margin(view_.plain ? 0 : kMargin, ' ');
      text_.put(paint_(Tone::warning, margin + wrapped(note, kMargin, columns())) + '\n');
    }
    notes.clear();
  }

  const fs::Table& table_;
  const View& view_;
  const Paint paint_;
  fs::Blocks& text_;
  std::size_t widest_ = 0;  // of the figures
};

}  // namespace

void write_explain_view(const fs::Table& table, const View& view, fs::Blocks& text) {
  ExplainViewWriter(table, view, text).write();
}

}  // namespace fathom::cli
