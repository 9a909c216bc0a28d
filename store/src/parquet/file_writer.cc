// ParquetWriter: the layout of the file, and its footer.

#include "parquet/file_writer.h"

#include "fathom/base/byte_order.h"
#include "parquet/thrift.h"

namespace fathom::store {

namespace {

constexpr std::int32_t kVersion = 2;  // of the format: it has unsigned types and deltas
// Of the form that parquet-java requires: of files whose writer it cannot parse, it refuses the
// encoding DELTA_BYTE_ARRAY. The version is that of this writer: it changes with what is written.
constexpr std::string_view kCreatedBy = "fathom version 1.0.0 (build unknown)";

// Parquet's ConvertedType, for older readers.
std::optional<std::int32_t> converted_type(ColumnType type) {
  switch (type) {
    case ColumnType::string:
      return 0;
    case ColumnType::uint8:
      return 11;
    case ColumnType::uint16:
      return 12;
    case ColumnType::uint32:
      return 13;
    case ColumnType::uint64:
      return 14;
    case ColumnType::int64:
    case ColumnType::binary:
      break;
  }
  return std::nullopt;
}

void put_logical_type(ThriftWriter& out, ColumnType type) {
  if (type == ColumnType::binary) return;
  out.begin_struct(10);
  if (type == ColumnType::string) {
    out.begin_struct(1);
    out.end_struct();
  } else {
    out.begin_struct(10);
    out.small(1, static_cast<std::int8_t>(width_of(type)));
    out.boolean(2, is_signed(type));
    out.end_struct();
  }
  out.end_struct();
}

void put_schema(ThriftWriter& out, std::span<const Column> columns) {
  out.list(2, ThriftType::record, columns.size() + 1);
  out.begin_struct();
  out.text(4, "schema");
  out.number(5, static_cast<std::int32_t>(columns.size()));
  out.end_struct();
  for (const Column& column : columns) {
    out.begin_struct();
    out.number(1, static_cast<std::int32_t>(physical_type(column.type)));
    out.number(3, column.optional ? 1 : 0);
    out.text(4, column.name);
    if (const auto type = converted_type(column.type)) out.number(6, *type);
    put_logical_type(out, column.type);
    out.end_struct();
  }
}

void put_statistics(ThriftWriter& out, const Chunk& chunk) {
  out.begin_struct(12);
  out.number64(3, static_cast<std::int64_t>(chunk.missing));
  if (chunk.range) {
    out.text(5, chunk.range->most);
    out.text(6, chunk.range->least);
  }
  out.end_struct();
}

void put_encodings(ThriftWriter& out, Encoding encoding) {
  const bool dictionary = encoding == Encoding::dictionary;
  out.list(2, ThriftType::i32, dictionary ? 3 : 2);
  if (dictionary) out.element(static_cast<std::int32_t>(Encoding::plain));
  out.element(static_cast<std::int32_t>(Encoding::rle));
  out.element(static_cast<std::int32_t>(encoding));
}

}  // namespace

ParquetWriter::ParquetWriter(const Schema& schema, const fs::Sink& sink)
    : schema_(schema), sink_(sink) {
  put(kParquetMagic);
}

void ParquetWriter::add(std::span<const Chunk> chunks) {
  Group group{.rows = chunks.front().rows, .chunks = {}};
  for (const Chunk& chunk : chunks) {
    Written& written = group.chunks.emplace_back();
    written.offset = offset_;
    written.bytes = chunk.bytes.size();
    put(chunk.bytes);
    written.chunk.rows = chunk.rows;
    written.chunk.missing = chunk.missing;
    written.chunk.uncompressed = chunk.uncompressed;
    written.chunk.first_data = chunk.first_data;
    written.chunk.encoding = chunk.encoding;
    written.chunk.range = chunk.range;
    written.chunk.pages = chunk.pages;
  }
  rows_ += group.rows;
  groups_.push_back(std::move(group));
}

void ParquetWriter::finish() {
  for (Group& group : groups_) {
    for (Written& chunk : group.chunks) put_page_index(chunk);
  }
  std::string end = footer();
  const auto length = base::little_endian(static_cast<std::uint32_t>(end.size()));
  end.append(reinterpret_cast<const char*>(&length), sizeof length);
  end += kParquetMagic;
  put(end);
}

void ParquetWriter::put(std::string_view bytes) {
  if (wanted_) wanted_ = sink_(bytes);
  offset_ += bytes.size();
}

// Where each page is, so that a reader need not begin with the first one.
void ParquetWriter::put_page_index(Written& written) {
  std::string bytes;
  ThriftWriter out(bytes);
  out.begin_struct();
  out.list(1, ThriftType::record, written.chunk.pages.size());
  for (const PagePlace& page : written.chunk.pages) {
    out.begin_struct();
    out.number64(1, static_cast<std::int64_t>(written.offset + page.offset));
    out.number(2, static_cast<std::int32_t>(page.bytes));
    out.number64(3, static_cast<std::int64_t>(page.first_row));
    out.end_struct();
  }
  out.end_struct();
  written.index_offset = offset_;
  written.index_bytes = bytes.size();
  put(bytes);
}

std::string ParquetWriter::footer() const {
  std::string bytes;
  ThriftWriter out(bytes);
  out.begin_struct();
  out.number(1, kVersion);
  put_schema(out, schema_.columns);
  out.number64(3, static_cast<std::int64_t>(rows_));
  out.list(4, ThriftType::record, groups_.size());
  std::int16_t ordinal = 0;
  for (const Group& group : groups_) {
    std::uint64_t uncompressed = 0;
    std::uint64_t compressed = 0;
    out.begin_struct();
    out.list(1, ThriftType::record, group.chunks.size());
    for (std::size_t i = 0; i < group.chunks.size(); ++i) {
      const Written& written = group.chunks[i];
      const Chunk& chunk = written.chunk;
      uncompressed += chunk.uncompressed;
      compressed += written.bytes;
      out.begin_struct();
      out.number64(2, 0);
      out.begin_struct(3);
      out.number(1, static_cast<std::int32_t>(physical_type(schema_.columns[i].type)));
      put_encodings(out, chunk.encoding);
      out.list(3, ThriftType::binary, 1);
      out.element(schema_.columns[i].name);
      out.number(4, kZstd);
      out.number64(5, static_cast<std::int64_t>(chunk.rows));
      out.number64(6, static_cast<std::int64_t>(chunk.uncompressed));
      out.number64(7, static_cast<std::int64_t>(written.bytes));
      out.number64(9, static_cast<std::int64_t>(written.offset + chunk.first_data.value_or(0)));
      if (chunk.first_data) out.number64(11, static_cast<std::int64_t>(written.offset));
      put_statistics(out, chunk);
      out.end_struct();
      out.number64(4, static_cast<std::int64_t>(written.index_offset));
      out.number(5, static_cast<std::int32_t>(written.index_bytes));
      out.end_struct();
    }
    out.number64(2, static_cast<std::int64_t>(uncompressed));
    out.number64(3, static_cast<std::int64_t>(group.rows));
    if (schema_.sorted_by) {
      out.list(4, ThriftType::record, 1);
      out.begin_struct();
      out.number(1, static_cast<std::int32_t>(*schema_.sorted_by));
      out.boolean(2, false);
      out.boolean(3, false);
      out.end_struct();
    }
    out.number64(5, static_cast<std::int64_t>(group.chunks.front().offset));
    out.number64(6, static_cast<std::int64_t>(compressed));
    out.number16(7, ordinal++);
    out.end_struct();
  }
  out.list(5, ThriftType::record, 1);
  out.begin_struct();
  out.text(1, kMarkKey);
  out.text(2, schema_.mark);
  out.end_struct();
  out.text(6, kCreatedBy);
  out.list(7, ThriftType::record, schema_.columns.size());
  for (std::size_t i = 0; i < schema_.columns.size(); ++i) {
    out.begin_struct();
    out.begin_struct(1);
    out.end_struct();
    out.end_struct();
  }
  out.end_struct();
  return bytes;
}

}  // namespace fathom::store
