// ExplainRows: words each row, then leaves out and joins rows of each filesystem.

#include "view/explain_rows.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "fathom/base/saturating.h"
#include "term/number.h"

namespace fathom::cli {

namespace {

constexpr std::uint64_t kNotable = 1000;     // 0.1% of the used space
constexpr std::uint64_t kNotableRest = 100;  // 1%

// A row of the report, with access by column name.
class LedgerRow {
 public:
  LedgerRow(const fs::Table& table, std::size_t row) : columns_(table.columns()) {
    table.read(row, cells_);
  }

  [[nodiscard]] std::string_view text(std::string_view key) const {
    const auto* found = std::get_if<std::string>(&cell(key));
    return found == nullptr ? std::string_view() : *found;
  }
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view key) const {
    const auto* found = std::get_if<std::int64_t>(&cell(key));
    return found == nullptr ? std::nullopt : std::optional(*found);
  }
  [[nodiscard]] std::uint64_t count() const {
    const auto* found = std::get_if<std::uint64_t>(&cell("count"));
    return found == nullptr ? 0 : *found;
  }
  [[nodiscard]] bool is(std::string_view item) const { return text("item") == item; }

 private:
  [[nodiscard]] const fs::Cell& cell(std::string_view key) const {
    std::size_t at = 0;
    while (columns_[at].key != key) ++at;
    return cells_[at];
  }

  const std::vector<fs::Column>& columns_;
  std::vector<fs::Cell> cells_;
};

using Parts = std::vector<ExplainPart>;

// The processes that have a deleted file open.
void add_holders(Parts& parts, const LedgerRow& row) {
  const auto pid = row.number("pid");
  parts.push_back({'(' + std::string(row.text("command")) + ',', true});
  std::string text = "process " + (pid ? std::to_string(*pid) : "?");
  if (row.count() > 1) text += ", and " + grouped(row.count() - 1) + " more";
  parts.push_back({text + ')'});
}

std::string inodes(const LedgerRow& row) {
  return row.count() == 0 ? "" : ": " + counted(row.count(), "inode", "inodes");
}

std::string entries(const LedgerRow& row) {
  return counted(row.count(), "entry", "entries");
}

unsigned depth_of(const LedgerRow& row) {
  const std::string_view of = row.text("of");
  if (of.empty()) return 0;
  return of == "size" ? 1 : 2;
}

// The text of a row.
Parts words(const LedgerRow& row) {
  const ExplainPart path{std::string(row.text("path")), true};
  if (row.is("size")) return {{"size" + inodes(row)}};
  if (row.is("available")) return {{"free for all users"}};
  if (row.is("reserved")) return {{"free, but reserved"}};
  if (row.is("used")) return {{"used" + inodes(row)}};
  if (row.is("found")) return {{"found: " + entries(row)}};
  if (row.is("deleted_open")) {
    Parts parts = {{"deleted but still open:"}, path};
    add_holders(parts, row);
    return parts;
  }
  if (row.is("unseen_processes")) {
    return {{"open in " + counted(row.count(), "process", "processes") +
             " that this user may not inspect"}};
  }
  if (row.is("hidden")) return {{"hidden by the mount at"}, path};
  if (row.is("unreadable")) return {{"in " + entries(row) + " that could not be read"}};
  if (row.is("left_out")) return {{"in " + entries(row) + " that the scan excluded"}};
  if (row.is("not_wanted")) return {{"in entries that were filtered out"}};
  if (row.is("rest")) return {{"unaccounted for: metadata, and files outside the scanned paths"}};
  return {{std::string(row.text("item"))}};
}

// Makes the rows of one filesystem.
class LedgerWriter {
 public:
  LedgerWriter(const std::vector<LedgerRow>& rows, base::Units units, ExplainDetail detail)
      : rows_(rows), units_(units), all_(detail == ExplainDetail::all), detail_(detail) {
    for (const LedgerRow& row : rows) {
      if (row.is("used")) used_ = magnitude(row.number("bytes").value_or(0));
      if (row.is("rest")) rest_ = magnitude(row.number("bytes").value_or(0));
    }
  }

  ExplainLedger write() {
    const LedgerRow& first = rows_.front();
    ledger_.filesystem = first.text("filesystem");
    ledger_.type = first.text("type");
    for (const LedgerRow& row : rows_) {
      if (row.is("rest")) add_joined();
      if (all_ || explains(row)) {
        add(row);
      } else {
        leave_out(row);
      }
      if (!row.text("note").empty()) ledger_.notes.emplace_back(row.text("note"));
    }
    return std::move(ledger_);
  }

 private:
  [[nodiscard]] bool is_notable(std::uint64_t bytes) const {
    return bytes != 0 && bytes >= used_ / kNotable;
  }

  // Whether a row of its own helps to understand the used space.
  [[nodiscard]] bool explains(const LedgerRow& row) const {
    if (depth_of(row) == 0 || row.is("available") || row.is("used") || row.is("found")) return true;
    const auto bytes = row.number("bytes");
    if (bytes) return row.is("reserved") ? *bytes != 0 : is_notable(magnitude(*bytes));
    return !row.is("hidden") && rest_is_open();
  }

  // Whether the rest is worth an explanation. The rest of a filesystem that was scanned in part
  // has one: the other part. Its first row then has a note.
  [[nodiscard]] bool rest_is_open() const {
    return rows_.front().text("note").empty() && rest_ != 0 && rest_ >= used_ / kNotableRest;
  }

  void add(const LedgerRow& row) {
    Parts parts = words(row);
    if (row.is("used")) parts.back().bytes += change(row);
    ledger_.rows.push_back({row.number("bytes"), depth_of(row), std::move(parts)});
  }

  void leave_out(const LedgerRow& row) {
    if (row.is("deleted_open")) {
      ++deleted_;
      deleted_bytes_ =
          base::saturating_add(deleted_bytes_, magnitude(row.number("bytes").value_or(0)));
    } else if (row.is("hidden")) {
      mounts_.emplace_back(row.text("path"));
    } else {
      ++ledger_.left_out;
    }
  }

  // Rows for several rows that were left out, if they explain something together.
  void add_joined() {
    if (is_notable(deleted_bytes_)) {
      const auto bytes = static_cast<std::int64_t>(deleted_bytes_);
      const std::string files = counted(deleted_, "smaller file", "smaller files");
      ledger_.rows.push_back({bytes, 2, {{"deleted but still open: " + files}}});
    } else {
      ledger_.left_out += deleted_;
    }
    if (mounts_.empty()) return;
    if (!rest_is_open()) {
      ledger_.left_out += mounts_.size();
      return;
    }
    const bool one = mounts_.size() == 1;
    Parts parts = {{one ? "hidden by the mount at" : "hidden by the mounts at"},
                   {mounts_.front(), true}};
    if (!one) parts.push_back({"and " + counted(mounts_.size() - 1, "other", "others")});
    ledger_.rows.push_back({std::nullopt, 2, std::move(parts)});
  }

  // How much the used space changed during the scan, which may or may not have found these bytes.
  [[nodiscard]] std::string change(const LedgerRow& row) const {
    const std::int64_t grown = row.number("grown_bytes").value_or(0);
    if (grown == 0 || (!all_ && !is_notable(magnitude(grown)))) return "";
    const std::string size = explain_size(magnitude(grown), units_, detail_);
    return std::string("; it ") + (grown < 0 ? "shrank" : "grew") + " by " + size +
           (!all_                   ? ""
            : magnitude(grown) == 1 ? " byte"
                                    : " bytes") +
           " during the scan";
  }

  const std::vector<LedgerRow>& rows_;
  const base::Units units_;
  const bool all_;
  const ExplainDetail detail_;
  std::uint64_t used_ = 0;
  std::uint64_t rest_ = 0;
  std::uint64_t deleted_ = 0;  // rows of deleted files that were left out
  std::uint64_t deleted_bytes_ = 0;
  std::vector<std::string> mounts_;
  ExplainLedger ledger_;
};

}  // namespace

std::uint64_t magnitude(std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  return number < 0 ? std::uint64_t{0} - bits : bits;
}

std::string explain_size(std::uint64_t bytes, base::Units units, ExplainDetail detail) {
  return detail == ExplainDetail::all ? grouped(bytes) : base::format_bytes(bytes, units);
}

std::vector<ExplainLedger> explain_ledgers(const fs::Table& table, base::Units units,
                                           ExplainDetail detail) {
  std::vector<ExplainLedger> ledgers;
  std::vector<LedgerRow> rows;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    LedgerRow next(table, i);
    if (next.is("size") && !rows.empty()) {
      ledgers.push_back(LedgerWriter(rows, units, detail).write());
      rows.clear();
    }
    rows.push_back(std::move(next));
  }
  if (!rows.empty()) ledgers.push_back(LedgerWriter(rows, units, detail).write());
  return ledgers;
}

}  // namespace fathom::cli
