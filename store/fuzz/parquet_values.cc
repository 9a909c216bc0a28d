// Fuzzes the decoders of values, which checksums protect in a file: the first byte chooses the
// encoding, and the second one how many values are asked for.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fathom/base/error.h"
#include "parquet/encoding.h"

namespace store = fathom::store;

namespace {

void decode(unsigned encoding, std::size_t count, std::string_view in) {
  std::vector<std::int64_t> numbers(count);
  std::vector<std::uint32_t> indexes(count);
  std::vector<std::string_view> views(count);
  store::Texts texts;
  switch (encoding % 6) {
    case 0:
      return store::decode_delta(in, numbers);
    case 1:
      return store::decode_plain(in, 4, numbers);
    case 2:
      return store::decode_plain(in, 8, numbers);
    case 3:
      return store::decode_plain(in, views);
    case 4:
      return store::decode_front(in, count, std::size_t{1} << 20, texts);
    default:
      return store::decode_runs(in, encoding / 6, indexes);
  }
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view in(reinterpret_cast<const char*>(data) + 2, size - 2);
  try {
    decode(data[0], data[1], in);
  } catch (const fathom::base::Error&) {
  }
  return 0;
}
