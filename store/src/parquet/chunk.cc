// ChunkEncoder: dictionaries, pages, compression and statistics.

#include "parquet/chunk.h"

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "fathom/base/byte_order.h"
#include "fathom/base/error.h"
#include "parquet/encoding.h"
#include "parquet/thrift.h"

namespace fathom::store {

namespace {

// Snapshots are written often and read seldom. On /usr, level 3 makes files 5 % smaller, and all of
// the encoding about a tenth slower.
constexpr int kLevel = 1;
// Longer bounds are left out.
constexpr std::size_t kLongestBound = 128;
constexpr std::size_t kFewestSlots = 64;
// Before a page has more bytes of text, another one begins.
constexpr std::size_t kPageTexts = std::size_t{16} << 20;

// MurmurHash3's finalizer (Austin Appleby).
std::uint64_t mix(std::uint64_t value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdU;
  value ^= value >> 33;
  value *= 0xc4ceb9fe1a85ec53U;
  return value ^ value >> 33;
}
std::uint64_t hash_of(std::int64_t value) {
  return mix(static_cast<std::uint64_t>(value));
}
std::uint64_t hash_of(std::string_view value) {
  return XXH3_64bits(value.data(), value.size());
}

// Numbers the distinct values, by open addressing. Empty slots are 0.
template <class Value>
void number_values(std::span<const Value> values, std::vector<Value>& distinct,
                   std::vector<std::uint32_t>& indexes, std::vector<std::uint32_t>& slots) {
  distinct.clear();
  indexes.clear();
  slots.assign(kFewestSlots, 0);
  const auto slot_of = [&](const Value& value) -> std::uint32_t& {
    std::size_t at = hash_of(value) & (slots.size() - 1);
    while (slots[at] != 0 && distinct[slots[at] - 1] != value) at = (at + 1) & (slots.size() - 1);
    return slots[at];
  };
  for (const Value& value : values) {
    if (!indexes.empty() && distinct[indexes.back()] == value) {
      indexes.push_back(indexes.back());
      continue;
    }
    std::uint32_t& slot = slot_of(value);
    if (slot != 0) {
      indexes.push_back(slot - 1);
      continue;
    }
    distinct.push_back(value);
    slot = static_cast<std::uint32_t>(distinct.size());
    indexes.push_back(slot - 1);
    if (2 * distinct.size() < slots.size()) continue;
    slots.assign(2 * slots.size(), 0);
    for (std::uint32_t i = 0; i < distinct.size(); ++i) slot_of(distinct[i]) = i + 1;
  }
}

std::string plain_bytes(std::int64_t value, std::size_t width) {
  std::string bytes(width, '\0');
  value = base::little_endian(value);
  std::memcpy(bytes.data(), &value, width);
  return bytes;
}

std::optional<Range> range_of(std::span<const std::string_view> texts) {
  if (texts.empty()) return std::nullopt;
  std::string_view least = texts.front();
  std::string_view most = least;
  const char* last = nullptr;  // neighbours are often the same text
  for (const std::string_view text : texts) {
    if (text.data() == last) continue;
    last = text.data();
    if (text < least) {
      least = text;
    } else if (most < text) {
      most = text;
    }
  }
  if (least.size() > kLongestBound || most.size() > kLongestBound) return std::nullopt;
  return Range{std::string(least), std::string(most)};
}

std::optional<Range> range_of(std::span<const std::int64_t> numbers, ColumnType type) {
  if (numbers.empty()) return std::nullopt;
  // Flips the order of unsigned numbers into that of signed ones.
  const std::uint64_t flip = is_signed(type) ? 0 : std::uint64_t{1} << 63;
  const auto key = [flip](std::int64_t number) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(number) ^ flip);
  };
  std::int64_t least = key(numbers.front());
  std::int64_t most = least;
  for (const std::int64_t number : numbers) {
    least = std::min(least, key(number));
    most = std::max(most, key(number));
  }
  return Range{plain_bytes(key(least), plain_width(type)),
               plain_bytes(key(most), plain_width(type))};
}

// Rows of a chunk and values of these rows.
struct PageExtent {
  std::size_t rows = 0;
  std::size_t values = 0;
};

// What fits into a page, of at most `most` rows, from a row and the value that comes next. At least
// one row does.
PageExtent page_extent(const Column& column, const Values& values, std::size_t first_row,
                       std::size_t first_value, std::size_t most) {
  const auto has_value = [&](std::size_t row) {
    return !column.optional || values.present[row] != 0;
  };
  PageExtent extent;
  if (!is_text(column.type) || column.encoding == Encoding::dictionary) {
    extent.rows = most;
    extent.values = most;
    if (column.optional) {
      const auto from = values.present.begin() + static_cast<std::ptrdiff_t>(first_row);
      extent.values = static_cast<std::size_t>(
          std::count(from, from + static_cast<std::ptrdiff_t>(most), std::uint8_t{1}));
    }
    return extent;
  }
  std::size_t bytes = 0;
  for (; extent.rows < most; ++extent.rows) {
    if (!has_value(first_row + extent.rows)) continue;
    bytes += values.texts[first_value + extent.values].size();
    if (bytes > kPageTexts && extent.rows > 0) break;
    ++extent.values;
  }
  return extent;
}

// Whether readers accept the texts: those of a dictionary, and others in rows that are read
// together.
void check_texts(const Column& column, const Values& values, std::size_t rows,
                 std::size_t page_rows) {
  std::size_t value = 0;
  std::size_t bytes = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    if (row % page_rows == 0) bytes = 0;
    if (column.optional && values.present[row] == 0) continue;
    const std::size_t length = values.texts[value++].size();
    bytes += length;
    const bool dictionary = column.encoding == Encoding::dictionary;
    if (dictionary ? length > kLongestWord : bytes > kMostTexts) {
      throw base::Error("the texts of the column " + std::string(column.name) + " are too long");
    }
  }
}

// Which values are missing: a bit each, after their length. PLAIN and dictionary pages of version 1
// begin with that.
void put_levels(std::span<const std::uint8_t> present, std::string& page) {
  const std::size_t begin = page.size();
  page.resize(begin + sizeof(std::uint32_t));
  encode_runs(std::vector<std::uint32_t>(present.begin(), present.end()), 1, page);
  const auto length =
      base::little_endian(static_cast<std::uint32_t>(page.size() - begin - sizeof(std::uint32_t)));
  std::memcpy(page.data() + begin, &length, sizeof length);
}

}  // namespace

ChunkEncoder::ChunkEncoder(std::size_t page_rows)
    : page_rows_(page_rows), compressor_(ZSTD_createCCtx(), ZSTD_freeCCtx) {
  if (compressor_ == nullptr) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(compressor_.get(), ZSTD_c_compressionLevel, kLevel);
}

ChunkEncoder::~ChunkEncoder() = default;

Chunk ChunkEncoder::encode(const Column& column, const Values& values, std::size_t rows) {
  Chunk chunk;
  chunk.rows = rows;
  const std::size_t count = is_text(column.type) ? values.texts.size() : values.numbers.size();
  chunk.missing = rows - count;
  if (is_text(column.type)) check_texts(column, values, rows, page_rows_);
  // Some readers do not accept an empty dictionary.
  chunk.encoding = count == 0 ? Encoding::plain : column.encoding;
  if (chunk.encoding == Encoding::dictionary) {
    is_text(column.type) ? index_texts(values.texts) : index_numbers(values.numbers);
    put_dictionary(column, chunk);
    chunk.first_data = chunk.bytes.size();
    chunk.range =
        is_text(column.type) ? range_of(distinct_texts_) : range_of(distinct_numbers_, column.type);
  } else {
    chunk.range =
        is_text(column.type) ? range_of(values.texts) : range_of(values.numbers, column.type);
  }
  std::size_t row = 0;
  std::size_t first_value = 0;
  while (row < rows) {
    const PageExtent extent =
        page_extent(column, values, row, first_value, std::min(page_rows_, rows - row));
    put_data(column, values, row, extent.rows, first_value, extent.values, chunk);
    row += extent.rows;
    first_value += extent.values;
  }
  return chunk;
}

void ChunkEncoder::index_numbers(std::span<const std::int64_t> numbers) {
  number_values(numbers, distinct_numbers_, indexes_, slots_);
}

void ChunkEncoder::index_texts(std::span<const std::string_view> texts) {
  number_values(texts, distinct_texts_, indexes_, slots_);
}

void ChunkEncoder::put_dictionary(const Column& column, Chunk& chunk) {
  page_.clear();
  if (is_text(column.type)) {
    encode_plain(distinct_texts_, page_);
    put_page(PageType::dictionary, Encoding::plain, distinct_texts_.size(), chunk);
  } else {
    encode_plain(distinct_numbers_, plain_width(column.type), page_);
    put_page(PageType::dictionary, Encoding::plain, distinct_numbers_.size(), chunk);
  }
}

// A page of the rows from first_row, which have `count` values from first_value.
void ChunkEncoder::put_data(const Column& column, const Values& values, std::size_t first_row,
                            std::size_t rows, std::size_t first_value, std::size_t count,
                            Chunk& chunk) {
  page_.clear();
  if (column.optional) {
    put_levels(std::span(values.present).subspan(first_row, rows), page_);
  }
  switch (chunk.encoding) {
    case Encoding::dictionary: {
      const std::size_t distinct =
          is_text(column.type) ? distinct_texts_.size() : distinct_numbers_.size();
      const auto width = std::max(1U, static_cast<unsigned>(std::bit_width(distinct - 1)));
      page_ += static_cast<char>(width);
      encode_runs(std::span<const std::uint32_t>(indexes_).subspan(first_value, count), width,
                  page_);
      break;
    }
    case Encoding::delta:
      encode_delta(std::span(values.numbers).subspan(first_value, count), page_);
      break;
    case Encoding::front:
      encode_front(std::span(values.texts).subspan(first_value, count), page_);
      break;
    case Encoding::plain:
    case Encoding::rle:
      break;  // of a chunk without values, and of levels
  }
  const std::size_t offset = chunk.bytes.size();
  put_page(PageType::data, chunk.encoding, rows, chunk);
  chunk.pages.push_back(
      {.offset = offset, .bytes = chunk.bytes.size() - offset, .first_row = first_row});
}

// Appends page_ with its header, compressed.
void ChunkEncoder::put_page(PageType type, Encoding encoding, std::size_t values, Chunk& chunk) {
  if (page_.size() > kLongestPage) throw base::Error("cannot write a page of more than 256 MiB");
  compressed_.resize(ZSTD_compressBound(page_.size()));
  const std::size_t bytes = ZSTD_compress2(compressor_.get(), compressed_.data(),
                                           compressed_.size(), page_.data(), page_.size());
  if (ZSTD_isError(bytes) != 0) {
    throw base::Error(std::string("cannot compress: ") + ZSTD_getErrorName(bytes));
  }
  const std::size_t begin = chunk.bytes.size();
  ThriftWriter out(chunk.bytes);
  out.begin_struct();
  out.number(1, static_cast<std::int32_t>(type));
  out.number(2, static_cast<std::int32_t>(page_.size()));
  out.number(3, static_cast<std::int32_t>(bytes));
  out.number(
      4, static_cast<std::int32_t>(::crc32(0, reinterpret_cast<const Bytef*>(compressed_.data()),
                                           static_cast<uInt>(bytes))));
  out.begin_struct(type == PageType::data ? 5 : 7);
  out.number(1, static_cast<std::int32_t>(values));
  out.number(2, static_cast<std::int32_t>(encoding));
  if (type == PageType::data) {
    out.number(3, static_cast<std::int32_t>(Encoding::rle));
    out.number(4, static_cast<std::int32_t>(Encoding::rle));
  }
  out.end_struct();
  out.end_struct();
  chunk.uncompressed += chunk.bytes.size() - begin + page_.size();
  chunk.bytes.append(compressed_, 0, bytes);
}

}  // namespace fathom::store
