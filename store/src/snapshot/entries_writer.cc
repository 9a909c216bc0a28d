// EntriesWriter: each column of a row group is a task; meanwhile the calling thread finds the next
// rows.

#include "snapshot/entries_writer.h"

#include <array>

#include "fathom/fs/children.h"
#include "fathom/rt/task_group.h"
#include "fathom/store/parquet.h"

namespace fathom::store {

// What a thread needs to make chunks of one tree.
struct EntriesWriter::Lane {
  explicit Lane(const EntrySource& from) : source(from) {}

  EntryValues source;
  Values values;
};

namespace {

// The columns that take longest first, so that the threads end together.
constexpr std::array kOrder = {
    EntryColumn::dir,         EntryColumn::name,
    EntryColumn::ctime_ns,    EntryColumn::mtime_ns,
    EntryColumn::btime_ns,    EntryColumn::ino,
    EntryColumn::ext,         EntryColumn::size,
    EntryColumn::blocks,      EntryColumn::charged_blocks,
    EntryColumn::name_raw,    EntryColumn::mode,
    EntryColumn::nlink,       EntryColumn::uid,
    EntryColumn::gid,         EntryColumn::type,
    EntryColumn::flags,       EntryColumn::fs_uuid,
    EntryColumn::subtree_end, EntryColumn::parent_id,
    EntryColumn::depth,       EntryColumn::id,
};

}  // namespace

EntriesWriter::EntriesWriter(rt::Executor& executor, std::size_t group_rows, const fs::Sink& sink)
    : executor_(executor),
      group_rows_(group_rows),
      file_(entry_columns(), static_cast<std::size_t>(EntryColumn::id), sink),
      encoders_(executor.max_threads() + 1),
      chunks_(entry_columns().size()) {}

EntriesWriter::~EntriesWriter() = default;

void EntriesWriter::add(const EntrySource& source) {
  const fs::Children children(source.tree);
  Preorder order(source.tree, children, file_.rows());
  std::vector<std::unique_ptr<Lane>> lanes(encoders_.size());
  for (auto& lane : lanes) lane = std::make_unique<Lane>(source);
  std::vector<Row> rows = order.next(group_rows_);
  while (!rows.empty() && file_.wanted()) {
    rt::TaskGroup group(executor_);
    for (const EntryColumn column : kOrder) {
      group.run([&, column] {
        // On a thread that is not a worker, -1 becomes 0.
        const auto thread = static_cast<std::size_t>(rt::Executor::worker_index()) + 1;
        if (encoders_[thread] == nullptr) encoders_[thread] = std::make_unique<ChunkEncoder>();
        Lane& lane = *lanes[thread];
        lane.source.fill(column, rows, file_.rows(), lane.values);
        const auto index = static_cast<std::size_t>(column);
        chunks_[index] =
            encoders_[thread]->encode(entry_columns()[index], lane.values, rows.size());
      });
    }
    std::vector<Row> next = order.next(group_rows_);
    group.wait();
    file_.add(chunks_);
    rows = std::move(next);
  }
}

std::uint64_t EntriesWriter::finish() {
  file_.finish({{std::string(kEntriesMark.first), std::string(kEntriesMark.second)}});
  return file_.rows();
}

void write_parquet(const fs::Scan& scan, const ParquetOptions& options, rt::Executor& executor,
                   const fs::Sink& sink) {
  EntriesWriter writer(executor, options.group_rows, sink);
  writer.add({scan.tree, options.filesystems, options.roots});
  writer.finish();
}

}  // namespace fathom::store
