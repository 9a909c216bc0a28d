// EntryReader: a page at a time is decoded, column by column, in parallel.

#include "snapshot/loaded_entries.h"

#include <algorithm>
#include <array>
#include <deque>
#include <span>
#include <string>

#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "fathom/rt/parallel.h"
#include "parquet/damage.h"
#include "snapshot/entry_columns.h"
#include "snapshot/error_columns.h"

namespace fathom::store {

namespace {

// What a tree consists of, the filesystem last. The others can be derived.
constexpr std::array kLoaded = {
    EntryColumn::name,     EntryColumn::name_raw, EntryColumn::subtree_end, EntryColumn::mode,
    EntryColumn::flags,    EntryColumn::size,     EntryColumn::blocks,      EntryColumn::dev,
    EntryColumn::ino,      EntryColumn::nlink,    EntryColumn::uid,         EntryColumn::gid,
    EntryColumn::mtime_ns, EntryColumn::ctime_ns, EntryColumn::btime_ns,    EntryColumn::fs_uuid,
};

std::uint64_t not_negative(std::int64_t number) {
  if (number < 0) damaged("a size is negative");
  return static_cast<std::uint64_t>(number);
}

std::int64_t seconds_of(std::int64_t nanoseconds) {
  return nanoseconds == fs::kUnknownTime ? nanoseconds : base::whole_seconds(nanoseconds);
}

// Calls read(group, first row in it, rows) for all rows of a file, a page at a time.
template <class Read>
void for_each_part(const ParquetReader& file, const Read& read) {
  const std::size_t page_rows = file.page_rows();
  for (std::size_t group = 0; group < file.groups(); ++group) {
    for (std::size_t row = 0; row < file.rows(group); row += page_rows) {
      read(group, row, std::min(page_rows, file.rows(group) - row));
    }
  }
}

const char* operation_of(std::string_view name) {
  for (const char* known : {"open", "list", "stat"}) {
    if (name == known) return known;
  }
  damaged("it has an unknown operation");
}

void visit_errors(const ParquetReader& file, const ErrorVisitor& visit) {
  std::deque<ChunkDecoder> decoders;
  for (std::size_t i = 0; i < errors_schema().columns.size(); ++i) decoders.emplace_back(file);
  std::vector<Values> values(decoders.size());
  for_each_part(file, [&](std::size_t group, std::size_t first, std::size_t rows) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      decoders[i].read(group, i, first, rows, values[i]);
    }
    std::size_t raw = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const bool is_raw = values[1].present[row] != 0;
      visit({.path = std::string(is_raw ? values[1].texts[raw++] : values[0].texts[row]),
             .operation = operation_of(values[2].texts[row]),
             .code = static_cast<int>(values[3].numbers[row])});
    }
  });
}

}  // namespace

// ---- Reading

struct EntryReader::Columns {
  // The values of a column, row by row.
  class Cursor {
   public:
    explicit Cursor(const Values& values, bool optional) : values_(values), optional_(optional) {}

    void skip(std::size_t rows) {
      value_ += optional_ ? static_cast<std::size_t>(std::count(
                                values_.present.begin(),
                                values_.present.begin() + static_cast<std::ptrdiff_t>(rows), 1))
                          : rows;
      row_ += rows;
    }

    // Goes on to the next row, and says whether it has a value. Call once per row.
    bool next() { return !optional_ || values_.present[row_++] != 0; }
    [[nodiscard]] std::int64_t number() { return values_.numbers[value_++]; }
    [[nodiscard]] std::string_view text() { return values_.texts[value_++]; }

    [[nodiscard]] std::int64_t number_or(std::int64_t otherwise) {
      return next() ? number() : otherwise;
    }
    [[nodiscard]] std::string_view text_or_nothing() {
      return next() ? text() : std::string_view();
    }

   private:
    const Values& values_;
    const bool optional_;
    std::size_t row_ = 0;
    std::size_t value_ = 0;
  };

  std::span<const EntryColumn> columns;
  std::deque<ChunkDecoder> decoders;  // by column: its texts are valid until it reads again
  std::vector<Values> values;         // of the page
  std::vector<Cursor> cursors;
};

EntryReader::EntryReader(const Snapshot::Files& files, Filesystems filesystems,
                         rt::Executor& executor, RowPlace begin)
    : label_(files.entries.label()),
      file_(files.entries.get()),
      executor_(executor),
      columns_(std::make_unique<Columns>()),
      place_(std::move(begin)) {
  columns_->columns =
      std::span(kLoaded).first(kLoaded.size() - (filesystems == Filesystems::read ? 0 : 1));
  for (std::size_t i = 0; i < columns_->columns.size(); ++i) columns_->decoders.emplace_back(file_);
  columns_->values.resize(columns_->columns.size());
}

EntryReader::~EntryReader() = default;

const LoadedEntry* EntryReader::next() {
  return reading(label_, [this]() -> const LoadedEntry* {
    if (place_.row == file_.rows()) {
      if (!place_.ends.empty() && place_.ends.back() > place_.row)
        damaged("its last directory does not end");
      return nullptr;
    }
    if (rows_left_ == 0) read_page();
    read_row();
    --rows_left_;
    ++place_.row;
    return &loaded_;
  });
}

// Decodes the page that contains the next row, and goes there.
void EntryReader::read_page() {
  const std::size_t group = file_.group_of(place_.row);
  const auto row = static_cast<std::size_t>(place_.row - file_.first_row(group));
  const std::size_t first = row / file_.page_rows() * file_.page_rows();
  const std::size_t rows = std::min(file_.page_rows(), file_.rows(group) - first);
  const std::span<const EntryColumn> columns = columns_->columns;
  rt::parallel_for(executor_, std::size_t{0}, columns.size(), [&](std::size_t i) {
    columns_->decoders[i].read(group, static_cast<std::size_t>(columns[i]), first, rows,
                               columns_->values[i]);
  });
  columns_->cursors.clear();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns_->cursors.emplace_back(
        columns_->values[i],
        entries_schema().columns[static_cast<std::size_t>(columns[i])].optional);
    columns_->cursors.back().skip(row - first);
  }
  rows_left_ = first + rows - row;
}

void EntryReader::read_row() {
  while (!place_.ends.empty() && place_.ends.back() <= place_.row) place_.ends.pop_back();
  std::size_t column = 0;
  const auto next = [&]() -> Columns::Cursor& { return columns_->cursors[column++]; };
  loaded_.depth = static_cast<std::uint32_t>(place_.ends.size());
  loaded_.name = next().text();
  if (Columns::Cursor& raw = next(); raw.next()) loaded_.name = raw.text();
  const auto end = static_cast<std::uint64_t>(next().number());
  fs::Entry& entry = loaded_.entry;
  entry.mode = static_cast<std::uint16_t>(next().number());
  const auto flags = static_cast<std::uint8_t>(next().number());
  entry.size = not_negative(next().number());
  entry.blocks = not_negative(next().number());
  entry.device = static_cast<std::uint64_t>(next().number());
  entry.inode = static_cast<std::uint64_t>(next().number());
  entry.links = static_cast<std::uint32_t>(next().number());
  entry.uid = static_cast<std::uint32_t>(next().number_or(fs::kUnknownOwner));
  entry.gid = static_cast<std::uint32_t>(next().number_or(fs::kUnknownOwner));
  entry.times.mtime = next().number_or(fs::kUnknownTime);
  entry.times.ctime = next().number_or(fs::kUnknownTime);
  entry.times.btime = next().number_or(fs::kUnknownTime);
  entry.mtime = seconds_of(entry.times.mtime);
  if (column < columns_->cursors.size()) loaded_.filesystem = next().text_or_nothing();
  const bool directory = entry.kind() == fs::Kind::directory;
  if (end <= place_.row || (!directory && end != place_.row + 1) ||
      (!place_.ends.empty() && end > place_.ends.back())) {
    damaged("its directories overlap");
  }
  constexpr std::uint8_t kOfDirectories =
      fs::kIncomplete | fs::kFilteredOut | fs::kHasOmittedChildren;
  loaded_.flags = directory ? static_cast<std::uint8_t>(flags & kOfDirectories) : 0;
  loaded_.below = end - place_.row - 1;
  if (directory) place_.ends.push_back(end);
}

void for_each_error(const Snapshot::Files& files, const ErrorVisitor& visit) {
  const ParquetReader& file = files.errors.get();
  reading(files.errors.label(), [&] { visit_errors(file, visit); });
}

std::vector<fs::ScanError> load_errors(const Snapshot::Files& files) {
  std::vector<fs::ScanError> errors;
  for_each_error(files, [&](fs::ScanError error) { errors.push_back(std::move(error)); });
  return errors;
}

void decode_values(const Snapshot::Files& files) {
  rt::Executor executor({.name = "fathom-read"});
  for (const LazyTable* table : {&files.entries, &files.directories}) {
    const ParquetReader& file = table->get();
    const auto decode_column = [&](std::size_t column) {
      ChunkDecoder decoder(file);
      Values values;
      for_each_part(file, [&](std::size_t group, std::size_t first, std::size_t rows) {
        decoder.read(group, column, first, rows, values);
      });
    };
    reading(table->label(), [&] {
      rt::parallel_for(executor, std::size_t{0}, file.columns().size(), decode_column);
    });
  }
}

}  // namespace fathom::store
