// gzip: compression by zlib, and parsing of Accept-Encoding.

#include "http/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>

#include "fathom/base/error.h"

namespace fathom::web {

namespace {

constexpr int kLevel = 1;
constexpr int kWindowBits = 15;
constexpr int kGzipFormat = 16;  // added to kWindowBits
constexpr int kMemoryLevel = 8;  // the default of zlib

z_stream stream_of(std::string_view input) {
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
  stream.avail_in = static_cast<uInt>(input.size());
  return stream;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Ignores case (RFC 9110, 8.4.1).
bool is_gzip(std::string_view coding) {
  constexpr std::string_view kGzip = "gzip";
  return std::equal(coding.begin(), coding.end(), kGzip.begin(), kGzip.end(),
                    [](char a, char b) { return (a | 0x20) == b; });
}

// Whether the weight of a coding (";q=0.5") is 0, so that the client does not accept it.
bool refused(std::string_view weight) {
  weight = trimmed(weight);
  if (!weight.starts_with("q=") && !weight.starts_with("Q=")) return false;
  return weight.find_first_not_of("0.", 2) == std::string_view::npos;
}

}  // namespace

std::string gzip(std::string_view text) {
  z_stream stream = stream_of(text);
  if (::deflateInit2(&stream, kLevel, Z_DEFLATED, kWindowBits + kGzipFormat, kMemoryLevel,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string bytes(::deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  ::deflate(&stream, Z_FINISH);  // cannot fail: the buffer is large enough
  bytes.resize(stream.total_out);
  ::deflateEnd(&stream);
  return bytes;
}

std::string gunzip(std::string_view bytes) {
  z_stream stream = stream_of(bytes);
  if (::inflateInit2(&stream, kWindowBits + kGzipFormat) != Z_OK) throw std::bad_alloc();
  std::string text;
  std::array<char, 16384> block;
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = block.size();
    result = ::inflate(&stream, Z_NO_FLUSH);
    text.append(block.data(), block.size() - stream.avail_out);
  }
  const bool whole = result == Z_STREAM_END && stream.avail_in == 0;
  ::inflateEnd(&stream);
  if (!whole) throw base::Error("not valid gzip data");
  return text;
}

// An item for gzip takes precedence over "*".
bool accepts_gzip(std::string_view accept_encoding) {
  bool others = false;
  while (!accept_encoding.empty()) {
    const std::size_t end = std::min(accept_encoding.find(','), accept_encoding.size());
    const std::string_view item = accept_encoding.substr(0, end);
    accept_encoding.remove_prefix(std::min(end + 1, accept_encoding.size()));
    const std::size_t semicolon = std::min(item.find(';'), item.size());
    const std::string_view coding = trimmed(item.substr(0, semicolon));
    const bool taken = !refused(item.substr(std::min(semicolon + 1, item.size())));
    if (is_gzip(coding)) return taken;
    if (coding == "*") others = taken;
  }
  return others;
}

}  // namespace fathom::web
