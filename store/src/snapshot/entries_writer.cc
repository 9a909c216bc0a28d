// EntriesWriter: while the columns of some rows are encoded, the calling thread hashes them and
// finds the next rows.

#include "snapshot/entries_writer.h"

#include <array>
#include <memory>
#include <utility>

#include "fathom/store/parquet.h"

namespace fathom::store {

namespace {

// The columns that take longest first, so that the threads end together.
constexpr auto kOrder = [] {
  constexpr std::array kColumns = {
      EntryColumn::dir,       EntryColumn::name,
      EntryColumn::ctime_ns,  EntryColumn::mtime_ns,
      EntryColumn::btime_ns,  EntryColumn::ino,
      EntryColumn::ext,       EntryColumn::size,
      EntryColumn::blocks,    EntryColumn::charged_blocks,
      EntryColumn::name_raw,  EntryColumn::mode,
      EntryColumn::nlink,     EntryColumn::uid,
      EntryColumn::gid,       EntryColumn::type,
      EntryColumn::flags,     EntryColumn::fs_uuid,
      EntryColumn::dev,       EntryColumn::subtree_end,
      EntryColumn::parent_id, EntryColumn::depth,
      EntryColumn::id,
  };
  std::array<std::size_t, kColumns.size()> order{};
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::size_t>(kColumns[i]);
  return order;
}();

}  // namespace

EntriesWriter::EntriesWriter(rt::Executor& executor, std::size_t group_rows, const fs::Sink& sink)
    : executor_(executor),
      group_rows_(group_rows),
      table_(executor, entries_schema(), sink, kOrder) {}

void EntriesWriter::add(const EntrySource& source, Directories* directories) {
  const Preorder order(source.tree, executor_, table_.rows());
  std::uint64_t done = 0;
  std::vector<Row> rows = order.rows(done, group_rows_);
  while (!rows.empty() && table_.wanted()) {
    std::vector<Row> next;
    done += rows.size();
    add_group(source, rows, directories, [&] { next = order.rows(done, group_rows_); });
    rows = std::move(next);
  }
}

void EntriesWriter::add_group(const EntrySource& source, std::span<const Row> rows,
                              Directories* directories, const std::function<void()>& meanwhile) {
  const std::uint64_t first = table_.rows();
  std::vector<std::unique_ptr<EntryValues>> lanes(table_.lanes());
  for (auto& lane : lanes) lane = std::make_unique<EntryValues>(source);
  const auto fill = [&](std::size_t column, std::size_t lane, Values& values) {
    lanes[lane]->fill(static_cast<EntryColumn>(column), rows, first, values);
  };
  table_.add(rows.size(), fill, [&] {
    if (directories != nullptr) {
      RowHasher hasher(source);
      hashes_.clear();
      for (const Row& row : rows) hashes_.push_back(hasher.hash(row));
      directories->add(source, rows, first, hashes_);
    }
    meanwhile();
  });
}

std::uint64_t EntriesWriter::finish() {
  table_.finish();
  return table_.rows();
}

void write_parquet(const fs::Scan& scan, const ParquetOptions& options, rt::Executor& executor,
                   const fs::Sink& sink) {
  EntriesWriter writer(executor, options.group_rows, sink);
  writer.add({scan.tree, options.filesystems, options.roots});
  writer.finish();
}

}  // namespace fathom::store
