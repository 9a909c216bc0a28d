// JsonInput: reads JSON token by token from a source, as bytes.
//
// Unlike a JSON library it accepts strings that are not UTF-8, never recurses, and uses the same
// memory for any text: one block, one string, and one bit per level of a value that is skipped,
// which may have kDeepest levels. Otherwise it follows RFC 8259. Every error is a base::Error that
// ends with its position.
//
//   input.expect('[');
//   const std::uint64_t version = input.whole_number(10'000);

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "fathom/fs/source.h"

namespace fathom::fs {

class JsonInput {
 public:
  static constexpr int kEnd = -1;
  static constexpr std::size_t kLongestString = 32UL * 1024;
  static constexpr std::size_t kDeepest = 4UL << 20;

  explicit JsonInput(const Source& source);

  // The next byte that is not blank, without consuming it; kEnd at the end of the text.
  int token() {
    for (;;) {
      if (at_ == end_ && !refill()) return kEnd;
      switch (*at_) {
        case ' ':
        case '\t':
        case '\r':
          break;
        case '\n':
          ++line_;
          line_begin_ = offset() + 1;
          break;
        default:
          return static_cast<unsigned char>(*at_);
      }
      ++at_;
    }
  }

  // Consumes the next token if it is this byte.
  bool accept(char byte) {
    if (token() != static_cast<unsigned char>(byte)) return false;
    ++at_;
    return true;
  }
  void expect(char byte);

  // The bytes of a string, without quotes and escapes; valid until the next call. Refuses a string
  // that is longer than kLongestString.
  std::string_view string();

  bool boolean();

  // A number without sign, fraction and exponent, up to the limit.
  std::uint64_t whole_number(std::uint64_t limit = std::numeric_limits<std::uint64_t>::max());

  // Seconds: a whole number, which may be negative; of a fraction, the whole seconds before it. A
  // number from 2^63 on is a negative one plus 2^64.
  std::int64_t seconds();

  // Skips any value. Refuses nesting deeper than kDeepest.
  void skip_value();

  // The first bytes of the text, up to eight, if nothing has been read yet.
  std::string_view head();

  // Throws the message with the current position.
  [[noreturn]] void fail(std::string_view message) const;

 private:
  static constexpr std::size_t kBlock = 64UL * 1024;

  [[nodiscard]] std::uint64_t offset() const {
    return block_begin_ + static_cast<std::uint64_t>(at_ - block_->data());
  }

  bool refill();
  int peek() { return at_ == end_ && !refill() ? kEnd : static_cast<unsigned char>(*at_); }
  int next();

  std::string_view long_string(const char* begin);
  void check_length(std::string_view text) const;
  template <class Keep>
  void string_rest(Keep keep);
  template <class Keep>
  void escape(Keep keep);
  unsigned hex_digits();
  void skip_string();
  void skip_key();
  void skip_number();
  std::size_t skip_digits();
  void skip_scalar(int first);
  void literal(std::string_view word);
  std::uint64_t digits(std::uint64_t limit);

  const Source& source_;
  const std::unique_ptr<std::array<char, kBlock>> block_;
  const char* at_;   // the next byte, in the block
  const char* end_;  // of the valid part of the block
  bool ended_ = false;
  std::uint64_t block_begin_ = 0;  // the block's offset in the text
  std::uint64_t line_ = 1;
  std::uint64_t line_begin_ = 0;  // its offset in the text
  std::string text_;              // of a string that is not contiguous in the block
};

}  // namespace fathom::fs
