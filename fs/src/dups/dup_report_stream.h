// DupReportStream: the output stream of a rapidjson writer, in blocks for a sink.

#pragma once

#include <rapidjson/rapidjson.h>

#include <cstdint>
#include <string_view>

#include "fathom/fs/blocks.h"

namespace fathom::fs {

class DupReportStream {
 public:
  using Ch = char;
  explicit DupReportStream(Blocks& blocks) : blocks_(blocks) {}
  void Put(char byte) { blocks_.put(byte); }  // NOLINT(readability-identifier-naming)
  void Flush() {}                             // NOLINT(readability-identifier-naming)

 private:
  Blocks& blocks_;
};

template <class Writer>
void put_key(Writer& writer, std::string_view name) {
  writer.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
}
template <class Writer>
void put_string(Writer& writer, std::string_view text) {
  writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}
template <class Writer>
void put_number(Writer& writer, std::string_view name, std::uint64_t value) {
  put_key(writer, name);
  writer.Uint64(value);
}

}  // namespace fathom::fs
