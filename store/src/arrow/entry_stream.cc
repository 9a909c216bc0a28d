// The entries of a scan or a snapshot as a stream: the columns of a batch are made in parallel.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "arrow/arrow_stream.h"
#include "fathom/base/error.h"
#include "fathom/fs/utf8.h"
#include "fathom/rt/parallel.h"
#include "parquet/damage.h"
#include "parquet/file_reader.h"
#include "snapshot/entry_columns.h"
#include "snapshot/preorder.h"
#include "snapshot/snapshot_files.h"

namespace fathom::store {

namespace {

constexpr std::size_t kBatchRows = 64 * 1024;

ArrowType arrow_type(ColumnType type) {
  switch (type) {
    case ColumnType::uint8:
      return ArrowType::uint8;
    case ColumnType::uint16:
      return ArrowType::uint16;
    case ColumnType::uint32:
      return ArrowType::uint32;
    case ColumnType::uint64:
      return ArrowType::uint64;
    case ColumnType::int64:
      return ArrowType::int64;
    case ColumnType::string:
      return ArrowType::string;
    case ColumnType::binary:
      break;
  }
  return ArrowType::binary;
}

EntryColumn column_named(std::string_view name) {
  const auto& columns = entries_schema().columns;
  const auto found = std::ranges::find(columns, name, &Column::name);
  if (found == columns.end()) {
    throw base::Error("there is no column '" + std::string(name) +
                      "'; docs/SNAPSHOT.md lists the columns");
  }
  return static_cast<EntryColumn>(found - columns.begin());
}

// The columns that a reader wants.
class WantedColumns {
 public:
  explicit WantedColumns(const std::vector<std::string>& names) {
    if (names.empty()) {
      for (std::size_t i = 0; i < entries_schema().columns.size(); ++i) {
        add(static_cast<EntryColumn>(i));
      }
    }
    for (const std::string& name : names) add(column_named(name));
  }

  [[nodiscard]] std::size_t size() const { return columns_.size(); }
  [[nodiscard]] EntryColumn operator[](std::size_t index) const { return columns_[index]; }
  [[nodiscard]] const std::vector<ArrowField>& fields() const { return fields_; }

 private:
  void add(EntryColumn which) {
    const Column& column = entries_schema().columns[static_cast<std::size_t>(which)];
    fields_.push_back({std::string(column.name), arrow_type(column.type), column.optional});
    columns_.push_back(which);
  }

  std::vector<EntryColumn> columns_;
  std::vector<ArrowField> fields_;
};

// Makes a batch of columns in parallel. fill(index of the column, values)
template <class Fill>
OwnedArray batch_of(const WantedColumns& columns, std::size_t rows, rt::Executor& executor,
                    std::vector<Values>& values, const Fill& fill) {
  std::vector<OwnedArray> arrays(columns.size());
  values.resize(columns.size());
  rt::parallel_for(executor, std::size_t{0}, columns.size(), [&](std::size_t i) {
    fill(i, values[i]);
    arrays[i] = arrow_array(columns.fields()[i].type, rows, values[i]);
  });
  return arrow_batch(rows, std::move(arrays));
}

// From a tree.
class TreeBatches final : public BatchSource {
 public:
  TreeBatches(std::shared_ptr<const EntryTable> table, const std::vector<std::string>& columns)
      : table_(std::move(table)),
        source_{table_->scan().tree, table_->options().filesystems, table_->options().roots},
        columns_(columns),
        from_(columns_.size(), EntryValues(source_)) {}

  [[nodiscard]] const std::vector<ArrowField>& fields() const override { return columns_.fields(); }

  [[nodiscard]] std::optional<OwnedArray> next() override {
    const std::vector<Row> rows = table_->order().rows(at_, kBatchRows);
    if (rows.empty()) return std::nullopt;
    OwnedArray batch = batch_of(
        columns_, rows.size(), executor_, values_,
        [&](std::size_t i, Values& values) { from_[i].fill(columns_[i], rows, at_, values); });
    at_ += rows.size();
    return batch;
  }

 private:
  const std::shared_ptr<const EntryTable> table_;
  const EntrySource source_;
  const WantedColumns columns_;
  rt::Executor executor_{{.name = "fathom-arrow"}};
  std::vector<EntryValues> from_;  // by column, as is the next
  std::vector<Values> values_;
  std::uint64_t at_ = 0;
};

// Readers rely on it without looking. A text of a dictionary is the same memory in all of its rows.
void require_utf8(const Values& values) {
  std::string_view last;
  for (const std::string_view text : values.texts) {
    const bool same = text.data() == last.data() && text.size() == last.size();
    if (!same && !fs::is_utf8(text)) damaged("a text is not UTF-8");
    last = text;
  }
}

// From the files of a snapshot.
class SnapshotBatches final : public BatchSource {
 public:
  SnapshotBatches(std::shared_ptr<const Snapshot> snapshot, const std::vector<std::string>& columns)
      : snapshot_(std::move(snapshot)), columns_(columns) {}

  [[nodiscard]] const std::vector<ArrowField>& fields() const override { return columns_.fields(); }

  [[nodiscard]] std::optional<OwnedArray> next() override {
    const LazyTable& file = snapshot_->files().entries;
    const ParquetReader& reader = file.get();
    if (from_.empty()) from_.resize(columns_.size());
    while (group_ < reader.groups() && row_ == reader.rows(group_)) {
      ++group_;
      row_ = 0;
    }
    if (group_ == reader.groups()) return std::nullopt;
    const std::size_t rows = std::min(reader.page_rows(), reader.rows(group_) - row_);
    OwnedArray batch = reading(file.label(), [&] {
      return batch_of(columns_, rows, executor_, values_, [&](std::size_t i, Values& values) {
        if (from_[i] == nullptr) from_[i] = std::make_unique<ChunkDecoder>(reader);
        from_[i]->read(group_, static_cast<std::size_t>(columns_[i]), row_, rows, values);
        if (columns_.fields()[i].type == ArrowType::string) require_utf8(values);
      });
    });
    row_ += rows;
    return batch;
  }

 private:
  const std::shared_ptr<const Snapshot> snapshot_;
  const WantedColumns columns_;
  rt::Executor executor_{{.name = "fathom-arrow"}};
  std::vector<std::unique_ptr<ChunkDecoder>> from_;  // by column, as is the next
  std::vector<Values> values_;
  std::size_t group_ = 0;
  std::size_t row_ = 0;  // in the group
};

}  // namespace

EntryTable::EntryTable(std::shared_ptr<const fs::Scan> scan, EntryTableOptions options,
                       rt::Executor& executor)
    : scan_(std::move(scan)),
      options_(std::move(options)),
      order_(std::make_unique<const Preorder>(scan_->tree, executor)) {}

EntryTable::~EntryTable() = default;

std::uint64_t EntryTable::rows() const {
  return order_->size();
}

std::vector<std::string_view> EntryTable::columns() {
  std::vector<std::string_view> names;
  for (const Column& column : entries_schema().columns) names.push_back(column.name);
  return names;
}

void stream_entries(std::shared_ptr<const EntryTable> table,
                    const std::vector<std::string>& columns, ArrowArrayStream& stream) {
  make_stream(std::make_unique<TreeBatches>(std::move(table), columns), stream);
}

void stream_entries(std::shared_ptr<const Snapshot> snapshot,
                    const std::vector<std::string>& columns, ArrowArrayStream& stream) {
  make_stream(std::make_unique<SnapshotBatches>(std::move(snapshot), columns), stream);
}

}  // namespace fathom::store
