// Thrift's compact protocol: variable-length numbers, and fields numbered by their distance.

#include "parquet/thrift.h"

#include "parquet/damage.h"

namespace fathom::store {

namespace {

// Longer lists are announced with a number of their own.
constexpr std::size_t kShortList = 15;

}  // namespace

// ---- Writing

void ThriftWriter::end_struct() {
  bytes_ += '\0';
  last_.pop_back();
}

void ThriftWriter::small(int field, std::int8_t value) {
  header(field, ThriftType::i8);
  bytes_ += static_cast<char>(value);
}

void ThriftWriter::text(int field, std::string_view value) {
  header(field, ThriftType::binary);
  element(value);
}

void ThriftWriter::list(int field, ThriftType element, std::size_t size) {
  header(field, ThriftType::list);
  const auto type = static_cast<std::size_t>(element);
  bytes_ += static_cast<char>((size < kShortList ? size : kShortList) << 4 | type);
  if (size >= kShortList) varint(size);
}

void ThriftWriter::element(std::string_view value) {
  varint(value.size());
  bytes_ += value;
}

void ThriftWriter::header(int field, ThriftType type) {
  const int distance = field - last_.back();
  last_.back() = field;
  if (distance <= 15) {
    bytes_ += static_cast<char>(static_cast<unsigned>(distance) << 4 | static_cast<unsigned>(type));
  } else {
    bytes_ += static_cast<char>(type);
    zigzag(field);
  }
}

void ThriftWriter::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
  bytes_ += static_cast<char>(value);
}

void ThriftWriter::zigzag(std::int64_t value) {
  varint(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
}

// ---- Reading

void ThriftReader::enter() {
  if (++depth_ > kDeepest) damaged("its metadata is nested too deeply");
}

ThriftType ThriftReader::next_field(int& number) {
  const std::uint8_t header = byte();
  const auto type = static_cast<ThriftType>(header & 15);
  if (type == ThriftType::stop) return type;
  if (type > ThriftType::record) damaged("its metadata has a field of an unknown type");
  const int distance = header >> 4;
  const std::int64_t field = distance != 0 ? number + distance : zigzag();
  if (field < 1 || field > 0x7fff) damaged("its metadata has a field with an impossible number");
  number = static_cast<int>(field);
  return type;
}

std::size_t ThriftReader::begin_list(ThriftType type, ThriftType of) {
  if (type != ThriftType::list) damaged("its metadata lacks a list");
  const std::uint8_t header = byte();
  const std::size_t size = (header >> 4) == kShortList ? varint() : header >> 4;
  if (size != 0 && static_cast<ThriftType>(header & 15) != of) {
    damaged("its metadata has a list of an unexpected type");
  }
  return size;
}

bool ThriftReader::boolean(ThriftType type) {
  if (type != ThriftType::yes && type != ThriftType::no) damaged("its metadata lacks a boolean");
  return type == ThriftType::yes;
}

std::int64_t ThriftReader::number(ThriftType type) {
  if (type == ThriftType::i8) return static_cast<std::int8_t>(byte());
  if (type < ThriftType::i16 || type > ThriftType::i64) damaged("its metadata lacks a number");
  return zigzag();
}

std::string_view ThriftReader::text(ThriftType type) {
  if (type != ThriftType::binary) damaged("its metadata lacks a text");
  return text_element();
}

std::string_view ThriftReader::text_element() {
  return take(varint());
}

void ThriftReader::skip(ThriftType type) {
  switch (type) {
    case ThriftType::stop:
    case ThriftType::yes:
    case ThriftType::no:
      return;
    case ThriftType::i8:
      byte();
      return;
    case ThriftType::i16:
    case ThriftType::i32:
    case ThriftType::i64:
      varint();
      return;
    case ThriftType::real:
      take(8);
      return;
    case ThriftType::binary:
      take(varint());
      return;
    case ThriftType::list:
    case ThriftType::set: {
      const Nested nested(*this);
      const std::uint8_t header = byte();
      const std::size_t size = (header >> 4) == kShortList ? varint() : header >> 4;
      return skip_elements(static_cast<ThriftType>(header & 15), size);
    }
    case ThriftType::map:
      damaged("its metadata has a map, which Parquet does not use");
    case ThriftType::record:
      return record([this](int, ThriftType field) { skip(field); });
  }
  damaged("its metadata has a field of an unknown type");
}

// Every element takes a byte or more, so a claimed size ends with the input.
void ThriftReader::skip_elements(ThriftType of, std::size_t count) {
  for (; count > 0; --count) {
    if (of == ThriftType::yes || of == ThriftType::no) {
      byte();  // in a list, a boolean is a byte of its own
    } else if (of == ThriftType::stop) {
      damaged("its metadata has a list without a type");
    } else {
      skip(of);
    }
  }
}

std::uint8_t ThriftReader::byte() {
  return static_cast<std::uint8_t>(take(1).front());
}

std::uint64_t ThriftReader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint64_t next = byte();
    value |= (next & 0x7f) << shift;
    if (next < 0x80) return value;
  }
  damaged("its metadata has a number that is too long");
}

std::int64_t ThriftReader::zigzag() {
  const std::uint64_t value = varint();
  return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
}

std::string_view ThriftReader::take(std::size_t bytes) {
  if (bytes > rest_.size()) damaged("its metadata is cut off");
  const std::string_view taken = rest_.substr(0, bytes);
  rest_.remove_prefix(bytes);
  return taken;
}

}  // namespace fathom::store
