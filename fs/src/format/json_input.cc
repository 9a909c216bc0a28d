// JsonInput: a pull parser on one block of the text.

#include "format/json_input.h"

#include <limits>
#include <vector>

#include "fathom/base/error.h"

namespace fathom::fs {

namespace {

constexpr std::string_view kCutOff = "the export is truncated";

// Bytes in a string that need no unescaping.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t byte = 0x20; byte < plain.size(); ++byte) plain[byte] = true;
  plain['"'] = plain['\\'] = false;
  return plain;
}();

bool is_plain(char byte) {
  return kPlain[static_cast<unsigned char>(byte)];
}

bool is_digit(int byte) {
  return byte >= '0' && byte <= '9';
}

// Calls keep with each byte of the code point's UTF-8.
template <class Keep>
void encode(unsigned code, Keep keep) {
  const auto tail = [&](unsigned shift) { keep(static_cast<char>(0x80 | (code >> shift & 0x3f))); };
  if (code < 0x80) {
    keep(static_cast<char>(code));
  } else if (code < 0x800) {
    keep(static_cast<char>(0xc0 | code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    keep(static_cast<char>(0xe0 | code >> 12));
    tail(6);
    tail(0);
  } else {
    keep(static_cast<char>(0xf0 | code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace

JsonInput::JsonInput(const Source& source)
    : source_(source),
      block_(new std::array<char, kBlock>),  // uninitialized: only bytes that were read are used
      at_(block_->data()),
      end_(at_) {}

bool JsonInput::refill() {
  if (ended_) return false;
  const std::size_t length = source_(std::span(*block_));
  if (length == 0) {
    ended_ = true;  // reading again could block on a terminal
    return false;
  }
  block_begin_ += static_cast<std::uint64_t>(end_ - block_->data());
  at_ = block_->data();
  end_ = at_ + length;
  return true;
}

int JsonInput::next() {
  const int byte = peek();
  if (byte == kEnd) fail(kCutOff);
  ++at_;
  return byte;
}

void JsonInput::fail(std::string_view message) const {
  std::string text(message);
  text += " (line " + std::to_string(line_);
  text += ", byte " + std::to_string(offset() - line_begin_ + 1) + ")";
  throw base::Error(text);
}

std::string_view JsonInput::head() {
  constexpr std::size_t kHead = 8;
  if (peek() == kEnd) return {};
  // A pipe may return less at first.
  auto have = static_cast<std::size_t>(end_ - block_->data());
  while (have < kHead) {
    const std::size_t more = source_(std::span(*block_).subspan(have));
    if (more == 0) {
      ended_ = true;
      break;
    }
    have += more;
    end_ += more;
  }
  return {at_, std::min<std::size_t>(have, kHead)};
}

void JsonInput::expect(char byte) {
  if (accept(byte)) return;
  if (token() == kEnd) fail(kCutOff);
  fail(std::string("expected '") + byte + "'");
}

std::string_view JsonInput::string() {
  if (token() != '"') fail(token() == kEnd ? kCutOff : "expected a string");
  const char* begin = ++at_;
  while (at_ != end_ && is_plain(*at_)) ++at_;
  if (at_ == end_ || *at_ != '"') return long_string(begin);
  const std::string_view text(begin, static_cast<std::size_t>(at_ - begin));
  check_length(text);
  ++at_;
  return text;
}

// The rest of a string that has escapes or continues in the next block.
std::string_view JsonInput::long_string(const char* begin) {
  text_.assign(begin, at_);
  check_length(text_);
  string_rest([this](char byte) {
    text_ += byte;
    check_length(text_);
  });
  return text_;
}

void JsonInput::check_length(std::string_view text) const {
  if (text.size() > kLongestString) fail("a name is longer than 32 KiB");
}

// Calls keep for each byte up to the closing quote, which it consumes.
template <class Keep>
void JsonInput::string_rest(Keep keep) {
  for (;;) {
    const int byte = next();
    if (byte == '"') return;
    if (byte == '\\') {
      escape(keep);
    } else if (byte < 0x20) {
      --at_;
      fail("a string contains a control character");
    } else {
      keep(static_cast<char>(byte));
    }
  }
}

template <class Keep>
void JsonInput::escape(Keep keep) {
  const int byte = next();
  switch (byte) {
    case '"':
    case '\\':
    case '/':
      return keep(static_cast<char>(byte));
    case 'b':
      return keep('\b');
    case 'f':
      return keep('\f');
    case 'n':
      return keep('\n');
    case 'r':
      return keep('\r');
    case 't':
      return keep('\t');
    case 'u':
      break;
    default:
      --at_;
      fail("unknown escape");
  }
  const auto is_low = [](unsigned unit) { return unit >= 0xdc00 && unit <= 0xdfff; };
  const unsigned unit = hex_digits();
  if (unit < 0xd800 || unit > 0xdfff) return encode(unit, keep);
  if (is_low(unit) || next() != '\\' || next() != 'u') fail("half of a surrogate pair is missing");
  const unsigned low = hex_digits();
  if (!is_low(low)) fail("half of a surrogate pair is missing");
  encode(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00), keep);
}

unsigned JsonInput::hex_digits() {
  unsigned value = 0;
  for (int i = 0; i < 4; ++i) {
    const int byte = next();
    const int letter = byte | 0x20;
    if (is_digit(byte)) {
      value = value << 4 | static_cast<unsigned>(byte - '0');
    } else if (letter >= 'a' && letter <= 'f') {
      value = value << 4 | static_cast<unsigned>(letter - 'a' + 10);
    } else {
      --at_;
      fail("\\u needs four hexadecimal digits");
    }
  }
  return value;
}

bool JsonInput::boolean() {
  const int first = token();
  if (first == kEnd) fail(kCutOff);
  if (first != 't' && first != 'f') fail("expected true or false");
  literal(first == 't' ? "true" : "false");
  return first == 't';
}

void JsonInput::literal(std::string_view word) {
  for (const char expected : word) {
    if (next() == static_cast<unsigned char>(expected)) continue;
    --at_;
    fail("expected " + std::string(word));
  }
}

std::uint64_t JsonInput::digits(std::uint64_t limit) {
  if (!is_digit(peek())) fail(peek() == kEnd ? kCutOff : "expected a number");
  if (*at_ == '0') {
    ++at_;
    if (is_digit(peek())) fail("a number begins with 0");
    return 0;
  }
  std::uint64_t value = 0;
  for (; at_ != end_ || refill(); ++at_) {
    if (!is_digit(*at_)) break;
    const auto digit = static_cast<std::uint64_t>(*at_ - '0');
    if (digit > limit || value > (limit - digit) / 10) fail("a number is too large");
    value = 10 * value + digit;
  }
  return value;
}

std::uint64_t JsonInput::whole_number(std::uint64_t limit) {
  if (token() == '-') fail("a number is negative");
  const std::uint64_t value = digits(limit);
  const int after = peek();
  if (after == '.' || after == 'e' || after == 'E') fail("a number is not a whole number");
  return value;
}

std::int64_t JsonInput::seconds() {
  const bool negative = accept('-');
  constexpr std::uint64_t kMinimum = std::uint64_t{1} << 63;  // without its sign
  std::uint64_t value = digits(negative ? kMinimum : std::numeric_limits<std::uint64_t>::max());
  if (peek() == '.') {
    ++at_;
    bool whole = true;
    std::size_t places = 0;
    for (; is_digit(peek()); ++at_, ++places) whole = whole && *at_ == '0';
    if (places == 0) fail("expected digits");
    // Rounds a time before 1970 down.
    if (negative && !whole && value != kMinimum) ++value;
  }
  if (peek() == 'e' || peek() == 'E') fail("a time has an exponent");
  return static_cast<std::int64_t>(negative ? 0 - value : value);
}

void JsonInput::skip_value() {
  std::vector<bool> objects;  // for each open value: whether it is an object rather than an array
  for (;;) {
    const int first = token();
    if (first == '[' || first == '{') {
      const bool is_object = first == '{';
      if (objects.size() == kDeepest) fail("a value is nested deeper than 4 million levels");
      ++at_;
      if (!accept(is_object ? '}' : ']')) {
        if (is_object) skip_key();
        objects.push_back(is_object);
        continue;
      }
    } else {
      skip_scalar(first);
    }
    while (!objects.empty() && !accept(',')) {
      expect(objects.back() ? '}' : ']');
      objects.pop_back();
    }
    if (objects.empty()) return;
    if (objects.back()) skip_key();
  }
}

void JsonInput::skip_scalar(int first) {
  switch (first) {
    case '"':
      return skip_string();
    case 't':
      return literal("true");
    case 'f':
      return literal("false");
    case 'n':
      return literal("null");
    case kEnd:
      fail(kCutOff);
    default:
      skip_number();
  }
}

void JsonInput::skip_string() {
  expect('"');
  string_rest([](char) {});
}

void JsonInput::skip_key() {
  if (token() != '"') fail(token() == kEnd ? kCutOff : "expected a key");
  skip_string();
  expect(':');
}

void JsonInput::skip_number() {
  if (peek() == '-') ++at_;
  if (peek() == '0') {
    ++at_;
  } else if (skip_digits() == 0) {
    fail("expected a value");
  }
  if (peek() == '.') {
    ++at_;
    if (skip_digits() == 0) fail("expected digits");
  }
  if (peek() == 'e' || peek() == 'E') {
    ++at_;
    if (peek() == '+' || peek() == '-') ++at_;
    if (skip_digits() == 0) fail("expected digits");
  }
}

std::size_t JsonInput::skip_digits() {
  std::size_t count = 0;
  for (; is_digit(peek()); ++at_) ++count;
  return count;
}

}  // namespace fathom::fs
