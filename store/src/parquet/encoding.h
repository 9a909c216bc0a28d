// The encodings of Parquet that snapshots use
// (https://parquet.apache.org/docs/file-format/data-pages/encodings/).
//
// Encoders append to a string. Decoders read from bytes that may be anything, remove what they have
// read, and throw base::Error unless these hold as many values as are asked for.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::store {

// PLAIN: numbers of 4 or 8 bytes, little-endian; texts after their lengths, of 4 bytes.
void encode_plain(std::span<const std::int64_t> values, std::size_t width, std::string& out);
void decode_plain(std::string_view& in, std::size_t width, std::span<std::int64_t> values);
void encode_plain(std::span<const std::string_view> values, std::string& out);
void decode_plain(std::string_view& in, std::span<std::string_view> values);

// DELTA_BINARY_PACKED: the differences of neighbours, in blocks of 128; wraps around.
void encode_delta(std::span<const std::int64_t> values, std::string& out);
void decode_delta(std::string_view& in, std::span<std::int64_t> values);

// DELTA_BYTE_ARRAY: how many bytes each text shares with the one before, and the rest of it.
void encode_front(std::span<const std::string_view> values, std::string& out);

// The texts of decode_front(), one after the other.
struct Texts {
  std::string bytes;
  std::vector<std::size_t> ends;  // of each text in bytes

  [[nodiscard]] std::size_t size() const { return ends.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t index) const {
    const std::size_t begin = index == 0 ? 0 : ends[index - 1];
    return std::string_view(bytes).substr(begin, ends[index] - begin);
  }
};

// Appends `count` texts. Throws also if `texts` would exceed `most` bytes: a short input can make
// long texts.
void decode_front(std::string_view& in, std::size_t count, std::size_t most, Texts& texts);

// RLE: runs of equal values, and other values packed in groups of 8. The values have `width` bits,
// at most 32.
void encode_runs(std::span<const std::uint32_t> values, unsigned width, std::string& out);
void decode_runs(std::string_view& in, unsigned width, std::span<std::uint32_t> values);

// The only value of the input, if that is one run of at least `count` values.
[[nodiscard]] std::optional<std::uint32_t> single_run(std::string_view in, unsigned width,
                                                      std::size_t count);

}  // namespace fathom::store
