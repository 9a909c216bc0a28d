// The index of git: reads entries of any version, and the names of its extensions.

#include "rules/git_index.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace fathom::act {

namespace {

constexpr std::size_t kStatBytes = 40;  // times, device, inode, mode, owners, size
constexpr std::uint16_t kExtended = 0x4000;
// Version 4 shares the beginnings of paths, so that a small file could fill the memory.
constexpr std::size_t kMostExpansion = 32;

class IndexReader {
 public:
  IndexReader(std::string_view bytes, bool sha256) : bytes_(bytes), hash_bytes_(sha256 ? 32 : 20) {}

  std::optional<std::vector<std::string>> read() {
    if (bytes_.size() < 12 + hash_bytes_ || !bytes_.starts_with("DIRC")) return std::nullopt;
    const std::uint64_t version = number(4, 4);
    const std::uint64_t count = number(8, 4);
    if (version < 2 || version > 4) return std::nullopt;
    at_ = 12;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (!read_entry(version)) return std::nullopt;
    }
    if (!read_extensions()) return std::nullopt;
    std::sort(paths_.begin(), paths_.end());
    return std::move(paths_);
  }

 private:
  // Big-endian; the caller has checked that the bytes exist.
  [[nodiscard]] std::uint64_t number(std::size_t at, std::size_t size) const {
    std::uint64_t value = 0;
    for (std::size_t i = at; i < at + size; ++i) {
      value = value << 8 | static_cast<unsigned char>(bytes_[i]);
    }
    return value;
  }

  [[nodiscard]] std::size_t end() const { return bytes_.size() - hash_bytes_; }

  bool read_entry(std::uint64_t version) {
    const std::size_t begin = at_;
    const std::size_t flags_at = begin + kStatBytes + hash_bytes_;
    if (flags_at + 2 > end()) return false;
    const bool extended = (number(flags_at, 2) & kExtended) != 0;
    if (extended && version < 3) return false;
    at_ = flags_at + (extended ? 4 : 2);
    std::size_t kept = 0;
    if (version == 4 && !read_kept(kept)) return false;
    const std::size_t stop = at_ > end() ? std::string_view::npos : bytes_.find('\0', at_);
    if (stop == std::string_view::npos || stop >= end()) return false;
    path_.resize(kept);
    path_.append(bytes_.substr(at_, stop - at_));
    at_ = stop + 1;
    // Up to version 3, an entry is padded to a multiple of eight bytes.
    if (version < 4) at_ = begin + (at_ - begin + 7) / 8 * 8;
    written_ += path_.size();
    if (written_ / kMostExpansion > bytes_.size()) return false;
    paths_.push_back(path_);
    return at_ <= end();
  }

  // Version 4: how many bytes to remove from the end of the previous path, as git's offsets.
  bool read_kept(std::size_t& kept) {
    std::uint64_t removed = 0;
    for (bool first = true;; first = false) {
      if (at_ >= end() || removed > (std::uint64_t{1} << 48)) return false;
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      removed = (first ? 0 : (removed + 1) << 7) | (byte & 0x7fU);
      if ((byte & 0x80U) == 0) break;
    }
    if (removed > path_.size()) return false;
    kept = path_.size() - static_cast<std::size_t>(removed);
    return true;
  }

  // Each has a name and a size. "link": the other entries are in another file.
  bool read_extensions() {
    while (at_ < end()) {
      if (at_ + 8 > end() || bytes_.substr(at_, 4) == "link") return false;
      const std::uint64_t size = number(at_ + 4, 4);
      if (size > end() - at_ - 8) return false;
      at_ += 8 + static_cast<std::size_t>(size);
    }
    return true;
  }

  const std::string_view bytes_;
  const std::size_t hash_bytes_;
  std::size_t at_ = 0;
  std::string path_;         // of the previous entry
  std::size_t written_ = 0;  // the bytes of all paths
  std::vector<std::string> paths_;
};

}  // namespace

std::optional<std::vector<std::string>> parse_git_index(std::string_view bytes, bool sha256) {
  return IndexReader(bytes, sha256).read();
}

}  // namespace fathom::act
