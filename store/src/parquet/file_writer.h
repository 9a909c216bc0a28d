// ParquetWriter: writes a Parquet file row group by row group, without going back.
//
//   ParquetWriter file(schema, sink);
//   file.add(chunks);  // one chunk for each column, in their order
//   file.finish();

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/fs/sink.h"
#include "parquet/chunk.h"
#include "parquet/schema.h"

namespace fathom::store {

class ParquetWriter {
 public:
  // The columns of the schema, and the sink, must outlive the writer.
  ParquetWriter(const Schema& schema, const fs::Sink& sink);

  // Writes a row group. All chunks have the same number of rows.
  void add(std::span<const Chunk> chunks);

  // Writes the indexes of pages and the footer. Without this, the file is not one.
  void finish();

  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] std::uint64_t bytes() const { return offset_; }
  // Whether the sink wants more.
  [[nodiscard]] bool wanted() const { return wanted_; }

 private:
  // A chunk without its bytes.
  struct Written {
    std::uint64_t offset;
    std::size_t bytes;
    Chunk chunk;
    std::uint64_t index_offset = 0;
    std::size_t index_bytes = 0;
  };
  struct Group {
    std::size_t rows;
    std::vector<Written> chunks;
  };

  void put(std::string_view bytes);
  void put_page_index(Written& chunk);
  [[nodiscard]] std::string footer() const;

  const Schema schema_;
  const fs::Sink& sink_;
  std::vector<Group> groups_;
  std::uint64_t offset_ = 0;
  std::uint64_t rows_ = 0;
  bool wanted_ = true;
};

}  // namespace fathom::store
