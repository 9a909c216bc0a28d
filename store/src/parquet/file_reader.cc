// ParquetReader and ChunkDecoder: the footer, pages and their encodings.

#include "parquet/file_reader.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "fathom/base/byte_order.h"
#include "parquet/damage.h"
#include "parquet/thrift.h"

namespace fathom::store {

namespace {

constexpr std::size_t kZstdBlock = std::size_t{128} << 10;  // at most, uncompressed
constexpr std::size_t kEnd = 8;  // the length of the footer and the magic bytes

// The decompressor of this thread. Its memory would take a third of the time of reading a small
// snapshot if each column had one.
ZSTD_DCtx* decompressor() {
  static thread_local std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> own(nullptr,
                                                                                  ZSTD_freeDCtx);
  if (own == nullptr) own.reset(ZSTD_createDCtx());
  if (own == nullptr) throw std::bad_alloc();
  return own.get();
}

[[noreturn]] void refuse(const std::string& why) {
  throw base::Error("is not a file of a snapshot: " + why);
}

std::uint64_t natural(std::int64_t number) {
  if (number < 0) damaged("a count or an offset is negative");
  return static_cast<std::uint64_t>(number);
}

// What the footer says about a column.
struct SchemaElement {
  std::string_view name;
  std::int64_t type = -1;
  bool optional = false;
};

SchemaElement read_schema_element(ThriftReader& in) {
  SchemaElement element;
  in.record([&](int field, ThriftType type) {
    if (field == 1) {
      element.type = in.number(type);
    } else if (field == 3) {
      element.optional = in.number(type) == 1;
    } else if (field == 4) {
      element.name = in.text(type);
    } else {
      in.skip(type);
    }
  });
  return element;
}

void check_schema(std::span<const SchemaElement> schema, std::span<const Column> columns) {
  // The first element is the root of the schema.
  bool same = schema.size() == columns.size() + 1;
  for (std::size_t i = 0; same && i < columns.size(); ++i) {
    const SchemaElement& is = schema[i + 1];
    same = is.name == columns[i].name &&
           is.type == static_cast<std::int64_t>(physical_type(columns[i].type)) &&
           is.optional == columns[i].optional;
  }
  if (!same) refuse("its columns are not those of this version");
}

std::optional<Range> read_statistics(ThriftReader& in) {
  std::optional<std::string> least;
  std::optional<std::string> most;
  in.record([&](int field, ThriftType type) {
    if (field == 5) {
      most = in.text(type);
    } else if (field == 6) {
      least = in.text(type);
    } else {
      in.skip(type);
    }
  });
  if (!least || !most) return std::nullopt;
  return Range{std::move(*least), std::move(*most)};
}

std::pair<std::string_view, std::string_view> read_key_value(ThriftReader& in) {
  std::pair<std::string_view, std::string_view> pair;
  in.record([&](int field, ThriftType type) {
    if (field == 1) {
      pair.first = in.text(type);
    } else if (field == 2) {
      pair.second = in.text(type);
    } else {
      in.skip(type);
    }
  });
  return pair;
}

}  // namespace

// ---- The footer

ParquetReader::ParquetReader(RandomInput input, const Schema& schema)
    : input_(std::move(input)), schema_(schema) {
  if (input_.size < kParquetMagic.size() + kEnd ||
      bytes(0, kParquetMagic.size()) != kParquetMagic) {
    refuse("it does not begin like a Parquet file");
  }
  const std::string end = bytes(input_.size - kEnd, kEnd);
  if (std::string_view(end).substr(4) != kParquetMagic) damaged("its end is missing");
  std::uint32_t length = 0;
  std::memcpy(&length, end.data(), sizeof length);
  length = base::little_endian(length);
  if (length > input_.size - kParquetMagic.size() - kEnd)
    damaged("its footer is longer than the file");
  read_footer(bytes(input_.size - kEnd - length, length));
}

std::size_t ParquetReader::group_of(std::uint64_t row) const {
  const auto after = std::upper_bound(
      groups_.begin(), groups_.end(), row,
      [](std::uint64_t wanted, const Group& group) { return wanted < group.first_row; });
  return static_cast<std::size_t>(after - groups_.begin()) - 1;
}

std::string ParquetReader::bytes(std::uint64_t offset, std::uint64_t length) const {
  std::string read;
  bytes(offset, length, read);
  return read;
}

void ParquetReader::bytes(std::uint64_t offset, std::uint64_t length, std::string& read) const {
  if (offset > input_.size || length > input_.size - offset) damaged("an offset is behind its end");
  // The size of a sparse file says nothing.
  if (length > kMostRead) damaged("a part of it is too long");
  read.resize(length);
  input_.read(offset, read);
}

void ParquetReader::read_footer(std::string_view footer) {
  const std::pair mark(kMarkKey, schema_.mark);
  std::vector<SchemaElement> schema;
  bool marked = false;
  std::uint64_t rows = 0;
  ThriftReader in(footer);
  in.record([&](int field, ThriftType type) {
    if (field == 2) {
      in.list(type, ThriftType::record, [&] { schema.push_back(read_schema_element(in)); });
      check_schema(schema, schema_.columns);
    } else if (field == 3) {
      rows = natural(in.number(type));
    } else if (field == 4) {
      in.list(type, ThriftType::record, [&] { groups_.push_back(read_group(in)); });
    } else if (field == 5) {
      in.list(type, ThriftType::record, [&] { marked = read_key_value(in) == mark || marked; });
    } else {
      in.skip(type);
    }
  });
  if (!marked) refuse("fathom did not write it, or a later version did");
  if (schema.empty()) refuse("it has no columns");
  for (Group& group : groups_) {
    group.first_row = rows_;
    rows_ += group.rows;
  }
  if (rows_ != rows) damaged("its row groups do not have as many rows as the file");
}

ParquetReader::Group ParquetReader::read_group(ThriftReader& in) const {
  Group group;
  in.record([&](int field, ThriftType type) {
    if (field == 1) {
      in.list(type, ThriftType::record, [&] { group.chunks.push_back(read_chunk(in)); });
    } else if (field == 3) {
      group.rows = natural(in.number(type));
    } else {
      in.skip(type);
    }
  });
  if (group.chunks.size() != schema_.columns.size()) damaged("a row group lacks columns");
  if (group.rows == 0 || group.rows > kMostRows) damaged("a row group has an impossible size");
  return group;
}

ParquetReader::ChunkPlace ParquetReader::read_chunk(ThriftReader& in) const {
  ChunkPlace chunk;
  std::optional<std::uint64_t> dictionary;
  std::int64_t codec = -1;
  const auto read_metadata = [&](int field, ThriftType type) {
    if (field == 4) {
      codec = in.number(type);
    } else if (field == 7) {
      chunk.bytes = natural(in.number(type));
    } else if (field == 9) {
      chunk.data = natural(in.number(type));
    } else if (field == 11) {
      dictionary = natural(in.number(type));
    } else if (field == 12) {
      chunk.range = read_statistics(in);
    } else {
      in.skip(type);
    }
  };
  in.record([&](int field, ThriftType type) {
    if (field == 3 && type == ThriftType::record) {
      in.record(read_metadata);
    } else if (field == 4) {
      chunk.index_offset = natural(in.number(type));
    } else if (field == 5) {
      chunk.index_bytes = natural(in.number(type));
    } else {
      in.skip(type);
    }
  });
  chunk.offset = dictionary.value_or(chunk.data);
  if (codec != kZstd) refuse("its pages are not compressed with Zstandard");
  if (chunk.offset > chunk.data || chunk.offset > input_.size ||
      chunk.bytes > input_.size - chunk.offset || chunk.data - chunk.offset > chunk.bytes) {
    damaged("the offsets of a column contradict each other");
  }
  return chunk;
}

// ---- Pages

ChunkDecoder::ChunkDecoder(const ParquetReader& file) : file_(file) {}

void ChunkDecoder::read(std::size_t group, std::size_t column, std::size_t first_row,
                        std::size_t rows, Values& values) {
  values.clear();
  kept_.clear();
  kept_bytes_ = 0;
  const ParquetReader::Group& in = file_.groups_[group];
  const ParquetReader::ChunkPlace& chunk = in.chunks[column];
  const Column& what = file_.schema_.columns[column];
  const std::size_t end = first_row + rows;
  read_index(chunk, in.rows);
  read_dictionary(chunk, what);
  const auto after =
      std::upper_bound(pages_.begin(), pages_.end(), first_row,
                       [](std::size_t row, const PagePlace& page) { return row < page.first_row; });
  for (auto at = after - 1; at != pages_.end() && at->first_row < end; ++at) {
    const PagePlace& place = *at;
    const std::size_t page_end = at + 1 != pages_.end() ? at[1].first_row : in.rows;
    const Page page = open_page(place.offset, place.bytes);
    if (page.type != PageType::data || page.values != page_end - place.first_row) {
      damaged("a page does not have the rows that its index says");
    }
    decode_page(what, page, std::max(first_row, place.first_row) - place.first_row,
                std::min(end, page_end) - place.first_row, values);
  }
}

void ChunkDecoder::read_index(const ParquetReader::ChunkPlace& chunk, std::size_t rows) {
  if (pages_of_ == chunk.offset) return;
  pages_of_ = ~std::uint64_t{0};
  const std::string bytes = file_.bytes(chunk.index_offset, chunk.index_bytes);
  ThriftReader in(bytes);
  std::vector<PagePlace> pages;
  const auto read_place = [&](PagePlace& place) {
    in.record([&](int field, ThriftType type) {
      if (field == 1) {
        place.offset = natural(in.number(type));
      } else if (field == 2) {
        place.bytes = natural(in.number(type));
      } else if (field == 3) {
        place.first_row = natural(in.number(type));
      } else {
        in.skip(type);
      }
    });
  };
  in.record([&](int field, ThriftType type) {
    if (field != 1) return in.skip(type);
    in.list(type, ThriftType::record, [&] { read_place(pages.emplace_back()); });
  });
  std::size_t row = 0;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const PagePlace& page = pages[i];
    if (i == 0 ? page.first_row != 0 : page.first_row <= row) damaged("its pages are not in order");
    row = page.first_row;
    if (page.offset < chunk.data || page.offset - chunk.offset > chunk.bytes ||
        page.bytes > chunk.bytes - (page.offset - chunk.offset)) {
      damaged("a page is outside of its column");
    }
  }
  if (pages.empty() || row >= rows) damaged("it lacks pages");
  pages_ = std::move(pages);
  pages_of_ = chunk.offset;
}

// Reads a page into page_, and returns its header.
ChunkDecoder::Page ChunkDecoder::open_page(std::uint64_t offset, std::uint64_t bytes) {
  file_.bytes(offset, bytes, compressed_);
  Page page;
  std::uint64_t size = 0;
  std::uint64_t compressed_size = 0;
  std::uint32_t checksum = 0;
  ThriftReader in(compressed_);
  const auto read_kind = [&](int field, ThriftType type) {
    if (field == 1) {
      page.values = natural(in.number(type));
    } else if (field == 2) {
      page.encoding = static_cast<Encoding>(in.number(type));
    } else {
      in.skip(type);
    }
  };
  in.record([&](int field, ThriftType type) {
    if (field == 1) {
      page.type = static_cast<PageType>(in.number(type));
    } else if (field == 2) {
      size = natural(in.number(type));
    } else if (field == 3) {
      compressed_size = natural(in.number(type));
    } else if (field == 4) {
      checksum = static_cast<std::uint32_t>(in.number(type));
    } else if ((field == 5 || field == 7) && type == ThriftType::record) {
      in.record(read_kind);
    } else {
      in.skip(type);
    }
  });
  // Of a dictionary page, only the beginning of what follows it was asked for.
  if (compressed_size > in.rest().size()) damaged("a page is cut off");
  const std::string_view content = in.rest().substr(0, compressed_size);
  if (checksum != ::crc32(0, reinterpret_cast<const Bytef*>(content.data()),
                          static_cast<uInt>(content.size()))) {
    damaged("a page does not match its checksum");
  }
  if (size > ParquetReader::kMostPage ||
      ZSTD_getFrameContentSize(content.data(), content.size()) != size) {
    damaged("a page does not have the size that its header says");
  }
  // A block of Zstandard has 4 bytes or more.
  if (size / kZstdBlock > content.size() / 4) damaged("a page is too short for its content");
  page_.resize(size);
  if (ZSTD_decompressDCtx(decompressor(), page_.data(), size, content.data(), content.size()) !=
      size) {
    damaged("a page cannot be decompressed");
  }
  return page;
}

// Reads the dictionary of a chunk, if it has one.
void ChunkDecoder::read_dictionary(const ParquetReader::ChunkPlace& chunk, const Column& column) {
  if (dictionary_of_ == chunk.offset) return;
  dictionary_of_ = ~std::uint64_t{0};
  dictionary_numbers_.clear();
  dictionary_texts_.clear();
  if (chunk.data == chunk.offset) return;
  const Page page = open_page(chunk.offset, chunk.data - chunk.offset);
  if (page.type != PageType::dictionary || page.encoding != Encoding::plain ||
      page.values > ParquetReader::kMostRows) {
    damaged("a dictionary is missing");
  }
  std::swap(page_, dictionary_page_);
  std::string_view in = dictionary_page_;
  if (is_text(column.type)) {
    dictionary_texts_.resize(page.values);
    decode_plain(in, dictionary_texts_);
    for (const std::string_view text : dictionary_texts_) {
      if (text.size() > kLongestWord) damaged("a text of a dictionary is too long");
    }
  } else {
    dictionary_numbers_.resize(page.values);
    decode_plain(in, plain_width(column.type), dictionary_numbers_);
  }
  dictionary_of_ = chunk.offset;
}

// ---- Values

// Appends the values of rows of the page in page_, numbered from its first one.
void ChunkDecoder::decode_page(const Column& column, const Page& page, std::size_t from,
                               std::size_t to, Values& values) {
  std::string_view in = page_;
  std::size_t count = page.values;
  std::size_t begin = from;  // of the values of these rows
  std::size_t end = to;
  if (column.optional) {
    count = take_levels(in, page.values);
    if (count == 0 || count == page.values) {
      values.present.insert(values.present.end(), to - from, count == 0 ? 0 : 1);
    } else {
      const auto row = [this](std::size_t index) {
        return levels_.begin() + static_cast<std::ptrdiff_t>(index);
      };
      begin = static_cast<std::size_t>(std::count(row(0), row(from), 1U));
      end = begin + static_cast<std::size_t>(std::count(row(from), row(to), 1U));
      values.present.insert(values.present.end(), row(from), row(to));
    }
  }
  // A column without values has no dictionary, and is PLAIN.
  if (count == 0) return;
  if (page.encoding != column.encoding) damaged("a page has an unexpected encoding");
  // A whole page goes where its values belong, a part of one by way of a copy.
  const auto decode = [&](auto& into, auto& part, const auto& decode_all) {
    if (begin == 0 && end == count) {
      into.resize(into.size() + count);
      decode_all(std::span(into).last(count));
      return;
    }
    part.resize(count);
    decode_all(std::span(part));
    into.insert(into.end(), part.begin() + static_cast<std::ptrdiff_t>(begin),
                part.begin() + static_cast<std::ptrdiff_t>(end));
  };
  if (is_text(column.type)) {
    decode(values.texts, texts_,
           [&](std::span<std::string_view> texts) { decode_texts(page.encoding, in, texts); });
  } else {
    decode(values.numbers, numbers_,
           [&](std::span<std::int64_t> numbers) { decode_numbers(page.encoding, in, numbers); });
  }
}

// Reads which rows of a page have a value, and returns how many. levels_ says which, unless all
// have one, or none.
std::size_t ChunkDecoder::take_levels(std::string_view& in, std::size_t rows) {
  std::uint32_t length = 0;
  if (in.size() < sizeof length) damaged("a page is cut off");
  std::memcpy(&length, in.data(), sizeof length);
  length = base::little_endian(length);
  in.remove_prefix(sizeof length);
  if (length > in.size()) damaged("a page is cut off");
  std::string_view levels = in.substr(0, length);
  in.remove_prefix(length);
  if (const auto all = single_run(levels, 1, rows)) return *all == 0 ? 0 : rows;
  levels_.resize(rows);
  decode_runs(levels, 1, levels_);
  return static_cast<std::size_t>(std::count(levels_.begin(), levels_.end(), 1U));
}

void ChunkDecoder::take_indexes(std::string_view in, std::size_t count, std::size_t distinct) {
  if (in.empty()) damaged("a page is cut off");
  const auto width = static_cast<std::uint8_t>(in.front());
  in.remove_prefix(1);
  indexes_.resize(count);
  decode_runs(in, width, indexes_);
  const auto outside = [distinct](std::uint32_t index) { return index >= distinct; };
  if (std::any_of(indexes_.begin(), indexes_.end(), outside)) {
    damaged("a value is not in the dictionary");
  }
}

void ChunkDecoder::decode_numbers(Encoding encoding, std::string_view in,
                                  std::span<std::int64_t> numbers) {
  if (encoding == Encoding::delta) return decode_delta(in, numbers);
  take_indexes(in, numbers.size(), dictionary_numbers_.size());
  std::transform(indexes_.begin(), indexes_.end(), numbers.begin(),
                 [this](std::uint32_t index) { return dictionary_numbers_[index]; });
}

void ChunkDecoder::decode_texts(Encoding encoding, std::string_view in,
                                std::span<std::string_view> texts) {
  if (encoding == Encoding::front) {
    Texts& kept = *kept_.emplace_back(std::make_unique<Texts>());
    decode_front(in, texts.size(), std::min(ParquetReader::kMostPage, kMostTexts - kept_bytes_),
                 kept);
    kept_bytes_ += kept.bytes.size();
    for (std::size_t i = 0; i < texts.size(); ++i) texts[i] = kept[i];
    return;
  }
  take_indexes(in, texts.size(), dictionary_texts_.size());
  std::transform(indexes_.begin(), indexes_.end(), texts.begin(),
                 [this](std::uint32_t index) { return dictionary_texts_[index]; });
}

}  // namespace fathom::store
