// TableWriter: writes a Parquet file with several threads. Each column of a row group is a task.
//
//   TableWriter table(executor, kEntriesSchema, sink);
//   table.add(rows.size(), fill, [&] { next = order.next(1000); });
//   table.finish();

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "fathom/fs/sink.h"
#include "fathom/rt/executor.h"
#include "parquet/chunk.h"
#include "parquet/file_writer.h"
#include "parquet/schema.h"

namespace fathom::store {

class TableWriter {
 public:
  // Fills the values of a column of a row group. Called once per column, by several threads at a
  // time; calls with the same lane never overlap, and lanes are less than lanes().
  using Fill = std::function<void(std::size_t column, std::size_t lane, Values& values)>;

  // `order`: all columns, those that take longest first; empty: as in the schema. The schema's
  // columns, the order and the sink must outlive the writer.
  TableWriter(rt::Executor& executor, const Schema& schema, const fs::Sink& sink,
              std::span<const std::size_t> order = {});
  ~TableWriter();

  [[nodiscard]] std::size_t lanes() const { return lanes_.size(); }
  [[nodiscard]] std::uint64_t rows() const { return file_.rows(); }
  [[nodiscard]] bool wanted() const { return file_.wanted(); }

  // Writes a row group. Meanwhile the calling thread calls the second function.
  void add(std::size_t rows, const Fill& fill, const std::function<void()>& meanwhile = nullptr);

  // Ends the file.
  void finish() { file_.finish(); }

 private:
  struct Lane {
    explicit Lane(std::size_t page_rows) : encoder(page_rows) {}

    ChunkEncoder encoder;
    Values values;
  };

  rt::Executor& executor_;
  const Schema schema_;
  const std::span<const std::size_t> order_;
  ParquetWriter file_;
  std::vector<std::unique_ptr<Lane>> lanes_;  // by worker; the first: other threads
  std::vector<Chunk> chunks_;                 // by column
};

}  // namespace fathom::store
