// Reader: opens a candidate for each piece, and checks its identity before and after reading.

#include "dups/reader.h"

#include <algorithm>
#include <cerrno>

#include "fathom/base/clock.h"

namespace fathom::fs {

bool Reader::read(FileNumber number, std::uint64_t size, std::uint64_t offset,
                  std::span<std::byte> into) {
  if (recollection_ == nullptr) return read_file(number, size, offset, into);
  const auto same = recollection_->same_as(number);
  return std::any_of(same.begin(), same.end(),
                     [&](FileNumber file) { return read_file(file, size, offset, into); });
}

bool Reader::read_file(FileNumber number, std::uint64_t size, std::uint64_t offset,
                       std::span<std::byte> into) {
  const std::string path = paths_.of(candidates_.files()[number].node);
  File file;
  if (const int result = file.open(path); result < 0) {
    cannot_open(number, path, -result);
    return false;
  }
  int error = 0;
  const Outcome outcome = read_open(file, number, size, offset, into, error);
  if (drop_cache_) file.drop_cached();
  if (outcome == Outcome::failed) findings_.add_error(number, path, "read", error);
  if (outcome == Outcome::changed) findings_.add_changed(number);
  return outcome == Outcome::ok;
}

std::uint64_t Reader::data_from(FileNumber number, std::uint64_t size, std::uint64_t offset) const {
  const Candidate& candidate = candidates_.files()[number];
  File file;
  if (!candidate.sparse || !candidate.read || file.open(paths_.of(candidate.node)) < 0) {
    return offset;
  }
  const auto is_unchanged = [&] {
    FileIdentity now;
    return file.identify(now) == 0 && now.size == size && is_as_known(now, candidate);
  };
  if (!is_unchanged()) return offset;
  const std::uint64_t data = file.data_from(offset);
  return is_unchanged() ? data : offset;
}

// If something else has the name now, or that of a directory above, the file has changed. Nothing
// has the name: only if the scan was saved, and may be old, that is not an error.
void Reader::cannot_open(FileNumber number, const std::string& path, int error) {
  // In this order: a file in place of a directory, a symbolic link, a socket.
  const bool is_replaced = error == ENOTDIR || error == ELOOP || error == ENXIO;
  if (is_replaced || (error == ENOENT && age_ == ScanAge::saved)) {
    findings_.add_changed(number);
  } else {
    findings_.add_error(number, path, "open", error);
  }
}

// Between the two checks, any change to the file changes its ctime, which no program can set, with
// two exceptions: filesystem clocks have a limited resolution, and writes through a mapping are
// recorded late. Therefore apply_plan() compares the files again.
Reader::Outcome Reader::read_open(const File& file, FileNumber number, std::uint64_t size,
                                  std::uint64_t offset, std::span<std::byte> into, int& error) {
  Candidate& candidate = candidates_.files()[number];
  FileIdentity before;
  FileIdentity after;
  error = -file.identify(before);
  if (error == EINVAL) return Outcome::changed;  // it is not a file any more
  if (error > 0) return Outcome::failed;
  if (before.size != size || !is_as_known(before, candidate)) return Outcome::changed;
  const std::ptrdiff_t got = file.read(offset, into);
  if ((error = static_cast<int>(-std::min<std::ptrdiff_t>(got, 0))) > 0) return Outcome::failed;
  bytes_.fetch_add(static_cast<std::uint64_t>(got), base::memory_order_relaxed);
  if (static_cast<std::size_t>(got) != into.size() || !ends_at(file, size)) return Outcome::changed;
  if ((error = -file.identify(after)) > 0) return Outcome::failed;
  if (after != before) return Outcome::changed;
  if (!candidate.read) {
    candidate.read = true;
    candidate.mtime_ns = after.mtime_ns;
    candidate.ctime_ns = after.ctime_ns;
    if (recollection_ != nullptr) recollection_->note_begin(number, into);
  }
  return Outcome::ok;
}

// Files of /proc and of some FUSE filesystems report the size 0 but are not empty.
bool Reader::ends_at(const File& file, std::uint64_t size) {
  std::byte more{};
  return size > 0 || file.read(0, {&more, 1}) == 0;
}

bool Reader::is_as_known(const FileIdentity& now, const Candidate& candidate) const {
  if (now.device != candidates_.device(candidate) || now.inode != candidate.inode) return false;
  if (!candidate.read) {
    return base::whole_seconds(now.mtime_ns) == base::whole_seconds(candidate.mtime_ns);
  }
  return now.mtime_ns == candidate.mtime_ns && now.ctime_ns == candidate.ctime_ns;
}

}  // namespace fathom::fs
