// RowHasher: XXH3 with 128 bits, over fixed-width fields and the name.

#include "snapshot/row_hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <bit>

#include "fathom/base/byte_order.h"

namespace fathom::store {

namespace {

Hash128 hash_of_bytes(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {.low = hash.low64, .high = hash.high64};
}

template <std::size_t count>
void append_fields(std::string& bytes, std::array<std::uint64_t, count> fields) {
  for (std::uint64_t& field : fields) field = base::little_endian(field);
  bytes.append(reinterpret_cast<const char*>(fields.data()), sizeof fields);
}

}  // namespace

Hash128 RowHasher::hash(const Row& row) {
  const fs::Entry entry = source_.tree.entry(row.node);
  const std::array<std::uint64_t, 10> fields = {
      entry.size,
      entry.blocks,
      filesystem_hash(entry.device),
      entry.inode,
      static_cast<std::uint64_t>(entry.mtime),
      static_cast<std::uint64_t>(entry.times.mtime),
      static_cast<std::uint64_t>(entry.times.ctime),
      static_cast<std::uint64_t>(entry.times.btime),
      std::uint64_t{entry.uid} << 32 | entry.gid,
      std::uint64_t{entry.links} << 32 | std::uint64_t{entry.mode} << 8 |
          source_.tree.flags(row.node),
  };
  bytes_.clear();
  append_fields(bytes_, fields);
  if (row.directory == fs::kNoDir) bytes_ += source_.name_of(row);
  return hash_of_bytes(bytes_);
}

std::uint64_t RowHasher::filesystem_hash(std::uint64_t device) {
  if (device_known_ && device == device_) return device_hash_;
  const auto found = source_.filesystems.find(device);
  const bool known = found != source_.filesystems.end();
  const std::string_view id = known ? std::string_view(found->second) : std::string_view();
  device_ = device;
  device_hash_ = XXH3_64bits(id.data(), id.size());
  device_known_ = true;
  return device_hash_;
}

HashBytes bytes_of(const Hash128& hash) {
  const std::array words = {base::little_endian(hash.low), base::little_endian(hash.high)};
  return std::bit_cast<HashBytes>(words);
}

Hash128 hash_of(const HashBytes& bytes) {
  const auto words = std::bit_cast<std::array<std::uint64_t, 2>>(bytes);
  return {.low = base::little_endian(words[0]), .high = base::little_endian(words[1])};
}

Hash128 hash_of_subdirectory(std::string_view name, const Hash128& subtree) {
  std::string bytes;
  append_fields(bytes, std::array{subtree.low, subtree.high});
  bytes += name;
  return hash_of_bytes(bytes);
}

}  // namespace fathom::store
