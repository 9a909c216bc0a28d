// Encodings of Parquet: numbers and texts as bytes.

#include "parquet/encoding.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "fathom/base/byte_order.h"
#include "parquet/damage.h"

namespace fathom::store {

namespace {

// DELTA_BINARY_PACKED: the block size and the number of miniblocks that other writers use too.
constexpr std::size_t kBlock = 128;
constexpr std::size_t kMiniblocks = 4;
constexpr std::size_t kMiniblock = kBlock / kMiniblocks;
// Bit-packed values of RLE come in groups of 8.
constexpr std::size_t kGroup = 8;

std::string_view take(std::string_view& in, std::size_t bytes) {
  if (bytes > in.size()) damaged("a page is cut off");
  const std::string_view taken = in.substr(0, bytes);
  in.remove_prefix(bytes);
  return taken;
}

void append_varint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

std::uint64_t take_varint(std::string_view& in) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<std::uint8_t>(take(in, 1).front());
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  damaged("a page has a number that is too long");
}

void put_zigzag(std::int64_t value, std::string& out) {
  append_varint(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63),
                out);
}

std::int64_t take_zigzag(std::string_view& in) {
  const std::uint64_t value = take_varint(in);
  return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
}

// Appends values of `width` bits, the first one in the lowest bits. Their number is a multiple of
// 8, so that they end with a byte.
template <class Value>
void pack(std::span<const Value> values, unsigned width, std::string& out) {
  const std::size_t begin = out.size();
  out.resize(begin + values.size() * width / 8);
  char* at = out.data() + begin;
  std::uint64_t bits = 0;
  unsigned used = 0;
  for (const std::uint64_t value : values) {
    bits |= value << used;
    used += width;
    if (used < 64) continue;
    bits = base::little_endian(bits);
    std::memcpy(at, &bits, sizeof bits);
    at += sizeof bits;
    used -= 64;
    bits = used == 0 ? 0 : value >> (width - used);
  }
  bits = base::little_endian(bits);
  std::memcpy(at, &bits, used / 8);
}

// The reverse; the input has the bytes.
template <class Value>
void unpack_slowly(std::string_view in, unsigned width, std::span<Value> values) {
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  const char* at = in.data();
  std::size_t left = in.size();
  std::uint64_t bits = 0;
  unsigned available = 0;
  for (Value& value : values) {
    std::uint64_t next = bits;
    if (available >= width) {
      bits = width == 64 ? 0 : bits >> width;
      available -= width;
    } else {
      std::uint64_t word = 0;
      const std::size_t bytes = std::min(left, sizeof word);
      std::memcpy(&word, at, bytes);
      word = base::little_endian(word);
      at += bytes;
      left -= bytes;
      next |= word << available;
      const unsigned needed = width - available;
      bits = needed == 64 ? 0 : word >> needed;
      available = 64 - needed;
    }
    value = static_cast<Value>(next & mask);
  }
}

// The same, faster where 8 bytes can be read at a time.
template <class Value>
void unpack(std::string_view in, unsigned width, std::span<Value> values) {
  // A word that begins with the byte in which a value begins contains all of it.
  constexpr unsigned kWidest = 64 - 7;
  const std::size_t words = in.size() < 8 ? 0 : in.size() - 7;  // that can be read
  std::size_t done = 0;
  if (width <= kWidest && width > 0 && words > 0) {
    const std::uint64_t low = (std::uint64_t{1} << width) - 1;
    done = std::min(values.size(), (words * 8 - 1) / width + 1);
    std::size_t bit = 0;
    for (Value& value : values.first(done)) {
      std::uint64_t word = 0;
      std::memcpy(&word, in.data() + bit / 8, sizeof word);
      value = static_cast<Value>(base::little_endian(word) >> bit % 8 & low);
      bit += width;
    }
    // The others begin with a byte, if there are some.
    done = done == values.size() ? done : done / kGroup * kGroup;
  }
  unpack_slowly(in.substr(done * width / 8), width, values.subspan(done));
}

std::uint64_t difference(std::int64_t value, std::int64_t before) {
  return static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(before);
}

// A block of differences, of which the last block may have fewer than kBlock.
void put_block(std::span<std::uint64_t> deltas, std::string& out) {
  std::int64_t least = static_cast<std::int64_t>(deltas.front());
  for (const std::uint64_t delta : deltas) {
    least = std::min(least, static_cast<std::int64_t>(delta));
  }
  put_zigzag(least, out);
  std::array<std::uint64_t, kBlock> packed{};
  std::array<std::uint8_t, kMiniblocks> widths{};
  for (std::size_t i = 0; i < deltas.size(); ++i) {
    packed[i] = deltas[i] - static_cast<std::uint64_t>(least);
    std::uint8_t& width = widths[i / kMiniblock];
    width = std::max(width, static_cast<std::uint8_t>(std::bit_width(packed[i])));
  }
  for (const std::uint8_t width : widths) out += static_cast<char>(width);
  for (std::size_t mini = 0; mini * kMiniblock < deltas.size(); ++mini) {
    const auto values =
        std::span<const std::uint64_t>(packed).subspan(mini * kMiniblock, kMiniblock);
    pack(values, widths[mini], out);
  }
}

// A group is a repeated value or packed; `count` is a number of values or of groups.
void put_run(std::uint32_t value, std::size_t count, unsigned width, std::string& out) {
  append_varint(static_cast<std::uint64_t>(count) << 1, out);
  for (unsigned bit = 0; bit < width; bit += 8) out += static_cast<char>(value >> bit);
}

void put_groups(std::span<const std::uint32_t> values, unsigned width, std::string& out) {
  if (values.empty()) return;
  const std::size_t groups = (values.size() + kGroup - 1) / kGroup;
  append_varint(static_cast<std::uint64_t>(groups) << 1 | 1, out);
  const std::size_t whole = values.size() / kGroup * kGroup;
  pack(values.first(whole), width, out);
  if (whole == values.size()) return;
  std::array<std::uint32_t, kGroup> last{};
  std::copy(values.begin() + static_cast<std::ptrdiff_t>(whole), values.end(), last.begin());
  pack(std::span<const std::uint32_t>(last), width, out);
}

// How many bytes behind its end copy_short() may read and write.
constexpr std::size_t kCopySlack = 16;

// Copies `bytes` in steps of kCopySlack, because texts are short. What lies behind is overwritten;
// if the ranges overlap, it is what the second one begins with.
void copy_short(const char* from, std::size_t bytes, char* to) {
  for (std::size_t at = 0; at < bytes; at += kCopySlack) {
    std::array<char, kCopySlack> step;
    std::memcpy(step.data(), from + at, kCopySlack);
    std::memcpy(to + at, step.data(), kCopySlack);
  }
}

std::size_t common_prefix(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  if (a.data() == b.data()) return most;
  std::size_t length = 0;
  for (std::uint64_t word = 0, other = 0; most - length >= sizeof word; length += sizeof word) {
    std::memcpy(&word, a.data() + length, sizeof word);
    std::memcpy(&other, b.data() + length, sizeof other);
    if (word == other) continue;
    const int equal_bits = std::countr_zero(base::little_endian(word ^ other));
    return length + static_cast<std::size_t>(equal_bits) / 8;
  }
  while (length < most && a[length] == b[length]) ++length;
  return length;
}

}  // namespace

// ---- PLAIN

void encode_plain(std::span<const std::int64_t> values, std::size_t width, std::string& out) {
  std::size_t at = out.size();
  out.resize(at + values.size() * width);
  for (const std::int64_t value : values) {
    const std::int64_t stored = base::little_endian(value);
    std::memcpy(out.data() + at, &stored, width);
    at += width;
  }
}

void decode_plain(std::string_view& in, std::size_t width, std::span<std::int64_t> values) {
  for (std::int64_t& value : values) {
    const std::string_view bytes = take(in, width);
    if (width == 4) {
      std::int32_t number = 0;
      std::memcpy(&number, bytes.data(), sizeof number);
      value = base::little_endian(number);
    } else {
      std::memcpy(&value, bytes.data(), sizeof value);
      value = base::little_endian(value);
    }
  }
}

void encode_plain(std::span<const std::string_view> values, std::string& out) {
  for (const std::string_view value : values) {
    const auto length = base::little_endian(static_cast<std::uint32_t>(value.size()));
    out.append(reinterpret_cast<const char*>(&length), sizeof length);
    out += value;
  }
}

void decode_plain(std::string_view& in, std::span<std::string_view> values) {
  for (std::string_view& value : values) {
    std::uint32_t length = 0;
    std::memcpy(&length, take(in, sizeof length).data(), sizeof length);
    value = take(in, base::little_endian(length));
  }
}

// ---- DELTA_BINARY_PACKED

void encode_delta(std::span<const std::int64_t> values, std::string& out) {
  append_varint(kBlock, out);
  append_varint(kMiniblocks, out);
  append_varint(values.size(), out);
  put_zigzag(values.empty() ? 0 : values.front(), out);
  std::array<std::uint64_t, kBlock> deltas{};
  for (std::size_t begin = 1; begin < values.size(); begin += kBlock) {
    const std::size_t count = std::min(kBlock, values.size() - begin);
    for (std::size_t i = 0; i < count; ++i) {
      deltas[i] = difference(values[begin + i], values[begin + i - 1]);
    }
    put_block(std::span(deltas).first(count), out);
  }
}

void decode_delta(std::string_view& in, std::span<std::int64_t> values) {
  if (take_varint(in) != kBlock || take_varint(in) != kMiniblocks) {
    damaged("a page has blocks of an unexpected size");
  }
  if (take_varint(in) != values.size())
    damaged("a page does not have as many values as its header says");
  auto before = static_cast<std::uint64_t>(take_zigzag(in));
  if (values.empty()) return;
  values.front() = static_cast<std::int64_t>(before);
  std::array<std::uint64_t, kMiniblock> deltas{};
  for (std::size_t at = 1; at < values.size();) {
    const auto least = static_cast<std::uint64_t>(take_zigzag(in));
    const std::string_view widths = take(in, kMiniblocks);
    for (std::size_t mini = 0; mini < kMiniblocks && at < values.size(); ++mini) {
      const auto width = static_cast<std::uint8_t>(widths[mini]);
      if (width > 64) damaged("a number has more than 64 bits");
      unpack(take(in, kMiniblock * width / 8), width, std::span<std::uint64_t>(deltas));
      const std::size_t count = std::min(kMiniblock, values.size() - at);
      for (std::size_t i = 0; i < count; ++i) {
        before += least + deltas[i];
        values[at++] = static_cast<std::int64_t>(before);
      }
    }
  }
}

// ---- DELTA_BYTE_ARRAY

void encode_front(std::span<const std::string_view> values, std::string& out) {
  std::vector<std::int64_t> shared(values.size());
  std::vector<std::int64_t> lengths(values.size());
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t prefix = i == 0 ? 0 : common_prefix(values[i - 1], values[i]);
    shared[i] = static_cast<std::int64_t>(prefix);
    lengths[i] = static_cast<std::int64_t>(values[i].size() - prefix);
    bytes += values[i].size() - prefix;
  }
  encode_delta(shared, out);
  encode_delta(lengths, out);
  out.reserve(out.size() + bytes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    out += values[i].substr(static_cast<std::size_t>(shared[i]));
  }
}

void decode_front(std::string_view& in, std::size_t count, std::size_t most, Texts& texts) {
  std::vector<std::int64_t> shared(count);
  std::vector<std::int64_t> lengths(count);
  decode_delta(in, shared);
  decode_delta(in, lengths);
  const std::size_t begin = texts.bytes.size();
  std::size_t end = begin;
  std::size_t before = 0;  // the length of the text before
  texts.ends.reserve(texts.ends.size() + count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto prefix = static_cast<std::size_t>(shared[i]);
    const auto rest = static_cast<std::size_t>(lengths[i]);
    if (shared[i] < 0 || prefix > before) {
      damaged("a text shares more bytes with the one before than that has");
    }
    if (lengths[i] < 0) damaged("a text has a negative length");
    if (end > most || rest > most || prefix + rest > most - end) {
      damaged("the texts of a page are too long");
    }
    before = prefix + rest;
    end += before;
    texts.ends.push_back(end);
  }
  texts.bytes.resize(end + kCopySlack);
  char* to = texts.bytes.data() + begin;
  const char* last = to;  // the text before
  for (std::size_t i = 0; i < count; ++i) {
    const auto prefix = static_cast<std::size_t>(shared[i]);
    const auto rest = static_cast<std::size_t>(lengths[i]);
    if (in.size() < rest) damaged("a page is cut off");
    copy_short(last, prefix, to);
    if (in.size() - rest >= kCopySlack) {
      copy_short(in.data(), rest, to + prefix);
    } else {
      std::memcpy(to + prefix, in.data(), rest);
    }
    in.remove_prefix(rest);
    last = to;
    to += prefix + rest;
  }
  texts.bytes.resize(end);
}

// ---- RLE

void encode_runs(std::span<const std::uint32_t> values, unsigned width, std::string& out) {
  std::size_t begin = 0;  // of the values that will be packed
  for (std::size_t at = 0; at < values.size();) {
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(at);
    const auto run = static_cast<std::size_t>(
        std::find_if(from, values.end(), [from](std::uint32_t value) { return value != *from; }) -
        from);
    // The first values of a long run complete the last group before it.
    const std::size_t fill = (kGroup - (at - begin) % kGroup) % kGroup;
    if (run < fill + kGroup) {
      at += run;
      continue;
    }
    put_groups(values.subspan(begin, at + fill - begin), width, out);
    put_run(*from, run - fill, width, out);
    at += run;
    begin = at;
  }
  put_groups(values.subspan(begin), width, out);
}

std::optional<std::uint32_t> single_run(std::string_view in, unsigned width, std::size_t count) {
  if (width > 32) damaged("an index has more than 32 bits");
  const std::uint64_t header = take_varint(in);
  if ((header & 1) != 0 || header >> 1 < count) return std::nullopt;
  std::uint32_t value = 0;
  const std::string_view bytes = take(in, (width + 7) / 8);
  std::memcpy(&value, bytes.data(), bytes.size());
  return base::little_endian(value);
}

void decode_runs(std::string_view& in, unsigned width, std::span<std::uint32_t> values) {
  if (width > 32) damaged("an index has more than 32 bits");
  for (std::size_t at = 0; at < values.size();) {
    const std::uint64_t header = take_varint(in);
    const std::size_t left = values.size() - at;
    if ((header & 1) == 0) {
      std::uint32_t value = 0;
      const std::string_view bytes = take(in, (width + 7) / 8);
      std::memcpy(&value, bytes.data(), bytes.size());
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(header >> 1, left));
      if (count == 0) damaged("a page has an empty run");
      std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(at), count,
                  base::little_endian(value));
      at += count;
    } else {
      // Of the last group, the values beyond the end do not count.
      const std::uint64_t groups = header >> 1;
      if (groups == 0) damaged("a page has an empty run");
      if (groups > (left + kGroup - 1) / kGroup) damaged("a page has too many values");
      const std::string_view bytes = take(in, static_cast<std::size_t>(groups) * width);
      const auto count = std::min(left, static_cast<std::size_t>(groups) * kGroup);
      unpack(bytes, width, values.subspan(at, count));
      at += count;
    }
  }
}

}  // namespace fathom::store
