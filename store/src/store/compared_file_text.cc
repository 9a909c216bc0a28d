// The file compared-files: what is in memory, with the lowest byte of each number first. It is
// checked when it is read.

#include "store/compared_file_text.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "fathom/base/byte_order.h"
#include "fathom/base/error.h"
#include "parquet/damage.h"

namespace fathom::store {

namespace {

constexpr std::string_view kMagic = "fathom.compared\n";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kChecksum = 16;

struct ComparedHeader {
  std::array<char, 16> magic;
  std::uint32_t version;
  std::uint32_t name_bytes;  // of all names, with a newline after each
  std::uint64_t files;
};

static_assert(sizeof(ComparedHeader) == 32);
static_assert(sizeof(fs::ComparedFile) == 48, "a new field needs a new version");
static_assert(std::is_trivially_copyable_v<fs::ComparedFile>);

// From the byte order of the machine to that of the file, and back.
ComparedHeader reordered(ComparedHeader header) {
  header.version = base::little_endian(header.version);
  header.name_bytes = base::little_endian(header.name_bytes);
  header.files = base::little_endian(header.files);
  return header;
}

fs::ComparedFile reordered(const fs::ComparedFile& file) {
  return {.inode = base::little_endian(file.inode),
          .size = base::little_endian(file.size),
          .mtime_ns = base::little_endian(file.mtime_ns),
          .ctime_ns = base::little_endian(file.ctime_ns),
          .begin_hash = base::little_endian(file.begin_hash),
          .search = base::little_endian(file.search),
          .content = base::little_endian(file.content),
          .filesystem = base::little_endian(file.filesystem),
          .day = base::little_endian(file.day)};
}

ComparedHeader header_of(std::string_view text) {
  ComparedHeader header = {};
  if (!text.starts_with(kMagic)) damaged("it begins with something else");
  if (text.size() < sizeof header + kChecksum) damaged("it is too short");
  std::memcpy(&header, text.data(), sizeof header);
  header = reordered(header);
  if (header.version != kVersion) throw base::Error("is of another version of fathom");
  return header;
}

std::vector<std::string> names_of(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) damaged("a filesystem has no end");
    names.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  std::vector<std::string_view> sorted(names.begin(), names.end());
  std::sort(sorted.begin(), sorted.end());
  const bool once_each = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  if (!once_each || names.size() > UINT16_MAX) damaged("its filesystems are impossible");
  return names;
}

void check_files(const fs::ComparedFiles& compared) {
  const fs::ComparedFile* before = nullptr;
  for (const fs::ComparedFile& file : compared.files) {
    const bool is_possible = file.filesystem < compared.filesystems.size() && file.size != 0 &&
                             file.search != fs::kThisSearch;
    const bool is_sorted = before == nullptr || std::pair(before->filesystem, before->inode) <
                                                    std::pair(file.filesystem, file.inode);
    if (!is_possible || !is_sorted) damaged("its files are impossible");
    before = &file;
  }
}

}  // namespace

std::string checksum_of(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash(&bytes, hash);
  static_assert(sizeof bytes == kChecksum);
  return {reinterpret_cast<const char*>(&bytes), sizeof bytes};
}

std::string write_compared_files(const fs::ComparedFiles& compared) {
  std::string names;
  for (const std::string& name : compared.filesystems) (names += name) += '\n';
  ComparedHeader header = {.magic = {},
                           .version = kVersion,
                           .name_bytes = static_cast<std::uint32_t>(names.size()),
                           .files = compared.files.size()};
  std::copy(kMagic.begin(), kMagic.end(), header.magic.begin());
  header = reordered(header);
  const std::size_t file_bytes = compared.files.size() * sizeof(fs::ComparedFile);
  std::string text;
  text.reserve(sizeof header + names.size() + file_bytes + kChecksum);
  text.append(reinterpret_cast<const char*>(&header), sizeof header);
  text += names;
  for (const fs::ComparedFile& file : compared.files) {
    const fs::ComparedFile stored = reordered(file);
    text.append(reinterpret_cast<const char*>(&stored), sizeof stored);
  }
  return text += checksum_of(text);
}

fs::ComparedFiles parse_compared_files(std::string_view text) {
  const ComparedHeader header = header_of(text);
  const std::string_view checked = text.substr(0, text.size() - kChecksum);
  if (checksum_of(checked) != text.substr(checked.size())) damaged("its checksum is wrong");
  std::string_view rest = checked.substr(sizeof header);
  if (header.name_bytes > rest.size()) damaged("it is too short");
  fs::ComparedFiles compared{.filesystems = names_of(rest.substr(0, header.name_bytes)),
                             .files = {}};
  rest.remove_prefix(header.name_bytes);
  if (header.files != rest.size() / sizeof(fs::ComparedFile) ||
      rest.size() % sizeof(fs::ComparedFile) != 0) {
    damaged("it has another length");
  }
  compared.files.resize(static_cast<std::size_t>(header.files));
  if (!rest.empty()) std::memcpy(compared.files.data(), rest.data(), rest.size());
  for (fs::ComparedFile& file : compared.files) file = reordered(file);
  check_files(compared);
  return compared;
}

}  // namespace fathom::store
