// TableWriter: a task for each column.

#include "parquet/table_writer.h"

#include "fathom/rt/task_group.h"

namespace fathom::store {

TableWriter::TableWriter(rt::Executor& executor, const Schema& schema, const fs::Sink& sink,
                         std::span<const std::size_t> order)
    : executor_(executor),
      schema_(schema),
      order_(order),
      file_(schema, sink),
      lanes_(executor.max_threads() + 1),
      chunks_(schema.columns.size()) {}

TableWriter::~TableWriter() = default;

void TableWriter::add(std::size_t rows, const Fill& fill, const std::function<void()>& meanwhile) {
  rt::TaskGroup group(executor_);
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    group.run([&, column = order_.empty() ? i : order_[i]] {
      const std::size_t index = executor_.slot();
      if (lanes_[index] == nullptr) lanes_[index] = std::make_unique<Lane>(schema_.page_rows);
      Lane& lane = *lanes_[index];
      lane.values.clear();
      fill(column, index, lane.values);
      chunks_[column] = lane.encoder.encode(schema_.columns[column], lane.values, rows);
    });
  }
  if (meanwhile) meanwhile();
  group.wait();
  file_.add(chunks_);
}

}  // namespace fathom::store
