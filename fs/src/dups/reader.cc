#include "reader.h"

#include <algorithm>
#include <chrono>

namespace fathom::fs {

namespace {

// A file that was changed so recently may change again without a change of its times, which some
// filesystems keep by the second, or by two.
constexpr std::int64_t kRecent = 3'000'000'000;  // nanoseconds

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::int64_t second(std::int64_t nanoseconds) {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::nanoseconds(nanoseconds)).count();
}

}  // namespace

bool Reader::read(FileNumber number, const std::string& path, std::uint64_t size,
                  std::uint64_t offset, std::span<std::byte> into) {
  File file;
  if (const int result = file.open(path); result < 0) {
    findings_.add_error(number, path, "open", -result);
    return false;
  }
  int error = 0;
  const Outcome outcome = read_open(file, candidates_.files()[number], size, offset, into, error);
  if (drop_cache_) file.drop_cached();
  if (outcome == Outcome::failed) findings_.add_error(number, path, "read", error);
  if (outcome == Outcome::changed) findings_.add_changed(number);
  return outcome == Outcome::ok;
}

// Asks what the file is after the read, which is one call, not two: what changed it meanwhile has
// left a time that is not before the read. Where its time is so recent that this proves nothing, it
// is read again between two looks.
Reader::Outcome Reader::read_open(const File& file, Candidate& candidate, std::uint64_t size,
                                  std::uint64_t offset, std::span<std::byte> into, int& error) {
  const std::int64_t begun = now_ns();
  FileIdentity before;
  FileIdentity now;
  for (bool again = false;; again = true) {
    if (again && (error = -file.identify(before)) > 0) return Outcome::failed;
    const std::ptrdiff_t got = file.read(offset, into);
    if ((error = static_cast<int>(-std::min<std::ptrdiff_t>(got, 0))) > 0) return Outcome::failed;
    bytes_.fetch_add(static_cast<std::uint64_t>(got), base::memory_order_relaxed);
    if ((error = -file.identify(now)) > 0) return Outcome::failed;
    if (static_cast<std::size_t>(got) != into.size() || now.size != size ||
        !is_as_known(now, candidate)) {
      return Outcome::changed;
    }
    if (again && before != now) return Outcome::changed;
    if (again || std::max(now.mtime_ns, now.ctime_ns) < begun - kRecent) break;
  }
  if (!candidate.read) {
    candidate.read = true;
    candidate.mtime_ns = now.mtime_ns;
    candidate.ctime_ns = now.ctime_ns;
  }
  return Outcome::ok;
}

bool Reader::is_as_known(const FileIdentity& now, const Candidate& candidate) const {
  if (now.device != candidates_.device(candidate) || now.inode != candidate.inode) return false;
  if (!candidate.read) return second(now.mtime_ns) == second(candidate.mtime_ns);
  return now.mtime_ns == candidate.mtime_ns && now.ctime_ns == candidate.ctime_ns;
}

}  // namespace fathom::fs
