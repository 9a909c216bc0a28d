#include "scan/ledger.h"

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

namespace fathom::cli {

namespace {

constexpr unsigned kMargin = 2;
constexpr unsigned kStep = 2;  // further in for a part

// A row of the report by the names of its columns.
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

std::string figure(const Row& row) {
  const std::int64_t* const bytes = row.number("bytes");
  if (bytes == nullptr) return "?";
  const auto plain = static_cast<std::uint64_t>(*bytes);
  return *bytes < 0 ? '-' + grouped(std::uint64_t{0} - plain) : grouped(plain);
}

// Who has a deleted file open.
std::string holders(const Row& row) {
  const std::int64_t* const pid = row.number("pid");
  std::string text = std::string(row.text("command")) + ", process " +
                     (pid == nullptr ? "?" : std::to_string(*pid));
  if (row.count() > 1) text += ", and " + grouped(row.count() - 1) + " more";
  return text;
}

std::string inodes(const Row& row) {
  return row.count() == 0 ? "" : ": " + counted(row.count(), "inode", "inodes");
}

// What a row is about. Bytes, not text: names stand in it as they are.
std::string words(const Row& row) {
  const std::string_view item = row.text("item");
  const std::string path(row.text("path"));
  if (item == "size") return "size" + inodes(row);
  if (item == "available") return "free to anyone";
  if (item == "reserved") return "free, but reserved";
  if (item == "used") return "used" + inodes(row);
  if (item == "found") return "found: " + counted(row.count(), "entry", "entries");
  if (item == "deleted_open") return "deleted, but open: " + path + " (" + holders(row) + ')';
  if (item == "unseen_processes") {
    return "open in " + counted(row.count(), "process", "processes") +
           " that this user may not look into";
  }
  if (item == "hidden") return "hidden by what is mounted at " + path;
  if (item == "unreadable") {
    return "in " + counted(row.count(), "entry", "entries") + " that could not be read";
  }
  if (item == "left_out") {
    return "in " + counted(row.count(), "entry", "entries") + " that the scan left out";
  }
  if (item == "not_wanted") return "in what the scan was asked not to count";
  if (item == "rest") return "the rest: metadata, and what was not found";
  return std::string(item);
}

unsigned depth_of(const Row& row) {
  const std::string_view of = row.text("of");
  if (of.empty()) return 0;
  return of == "size" ? 1 : 2;
}

class Writer {
 public:
  Writer(const fs::Table& table, const View& view, fs::Blocks& text)
      : table_(table), view_(view), paint_(view.terminal.color), text_(text) {}

  void write() {
    text_.put(paint_(Tone::heading, table_.title()) + '\n');
    if (table_.rows() == 0) text_.put("  none\n");
    std::size_t widest = 0;
    for (std::size_t i = 0; i < table_.rows(); ++i) {
      widest = std::max(widest, figure(Row(table_, i)).size());
    }
    std::vector<std::string> notes;
    for (std::size_t i = 0; i < table_.rows(); ++i) {
      const Row row(table_, i);
      if (row.text("item") == "size") {
        put_notes(notes);
        if (i > 0) text_.put('\n');
        put_filesystem(row);
      }
      put(row, widest);
      if (!row.text("note").empty()) notes.emplace_back(row.text("note"));
    }
    put_notes(notes);
  }

 private:
  // The bytes in the rest of a line of which so many columns are used; cut for a person alone.
  [[nodiscard]] std::string fitted(std::string_view bytes, std::size_t used) const {
    const Label label(bytes);
    if (!view_.terminal.person) return label.text();
    constexpr std::size_t kLeast = 8;
    const std::size_t width = view_.terminal.width;
    const std::size_t room = std::max(width - std::min(used, width), kLeast);
    return label.fitted(static_cast<unsigned>(room), view_.terminal.unicode ? "\u2026" : "...");
  }

  void put_filesystem(const Row& row) {
    std::string type(row.text("type"));
    if (!type.empty()) type = " (" + escaped(type) + ')';
    text_.put(std::string(kMargin, ' ') +
              paint_(Tone::strong, fitted(row.text("filesystem"), kMargin + type.size())) + type +
              '\n');
  }

  void put(const Row& row, std::size_t widest) {
    std::string line(kMargin + kStep, ' ');
    line += right(figure(row), widest);
    line.append(kStep + std::size_t{kStep} * depth_of(row), ' ');
    line += fitted(words(row), line.size());
    text_.put(line + '\n');
  }

  // Each sentence begins a line.
  void put_notes(std::vector<std::string>& notes) {
    for (const std::string& note : notes) put_wrapped(note);
    notes.clear();
  }

  void put_wrapped(std::string_view note) {
    const std::string margin(kMargin, ' ');
    std::string line = margin;
    while (!note.empty()) {
      const std::string_view word = note.substr(0, note.find(' '));
      const bool full = line.size() + 1 + word.size() > view_.terminal.width;
      if (full && view_.terminal.person && line.size() > margin.size()) {
        text_.put(paint_(Tone::warning, line) + '\n');
        line = margin;
      }
      if (line.size() > margin.size()) line += ' ';
      line += word;
      note.remove_prefix(std::min(note.size(), word.size() + 1));
    }
    text_.put(paint_(Tone::warning, line) + '\n');
  }

  const fs::Table& table_;
  const View& view_;
  const Paint paint_;
  fs::Blocks& text_;
};

}  // namespace

void write_ledger(const fs::Table& table, const View& view, fs::Blocks& text) {
  Writer(table, view, text).write();
}

}  // namespace fathom::cli
