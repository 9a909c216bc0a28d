// JournalFile: the system calls of a journal.

#include "os/journal_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "fathom/base/error.h"
#include "fathom/base/path.h"
#include "fathom/base/planted.h"
#include "fathom/base/retry.h"
#include "os/safe_open.h"

namespace fathom::act {

namespace {

base::Error of_another_user(const std::string& path) {
  return base::Error(in_journal(path) + " belongs to another user");
}

int open_journal(const std::string& path, int flags) {
  constexpr mode_t kNewFile = 0600;
  constexpr int kAlways = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  return base::retry_errno([&] { return ::open(path.c_str(), flags | kAlways, kNewFile); });
}

}  // namespace

std::string in_journal(const std::string& path) {
  return "the journal " + path;
}

bool is_missing_or_empty(const std::string& path) {
  struct stat seen = {};
  if (::stat(path.c_str(), &seen) != 0 && errno == ENOENT) return true;
  return S_ISREG(seen.st_mode) && seen.st_size == 0;
}

void JournalFile::open(const std::string& path, JournalAccess access, bool may_make,
                       JournalPath kind) {
  path_ = path;
  const bool writes = access == JournalAccess::write;
  const bool is_derived = kind == JournalPath::derived;
  const auto place = is_derived ? path : base::trusted_link_target(path);
  if (!place) throw of_another_user(path);
  const int flags = (writes ? O_RDWR : O_RDONLY) | (base::is_in_proc(*place) ? 0 : O_NOFOLLOW);
  int result = open_journal(*place, flags);
  if (result == -ENOENT && !writes && may_make) return;
  // A name that somebody creates at this moment is not used, unless the user has chosen it.
  if (result == -ENOENT && may_make) {
    result = open_journal(*place, flags | O_CREAT | (is_derived ? O_EXCL : 0));
  }
  if (result == -ELOOP && is_derived) {
    throw base::Error(in_journal(path) +
                      " is a symbolic link, which is followed only if you name it");
  }
  if (result < 0) throw base::SystemError("cannot open " + in_journal(path), -result);
  file_.reset(result);
  struct stat seen = {};
  if (::fstat(result, &seen) != 0 || !S_ISREG(seen.st_mode)) {
    throw base::Error(in_journal(path) + " is not a regular file");
  }
  if (base::is_planted(*place, seen)) throw of_another_user(path);
  if (writes) lock();
}

void JournalFile::lock() const {
  const int result = base::retry_errno([&] { return ::flock(file_.get(), LOCK_EX | LOCK_NB); });
  if (result == -EWOULDBLOCK) throw base::Error("another run is using " + in_journal(path_));
  if (result < 0) throw base::SystemError("cannot lock " + in_journal(path_), -result);
}

void JournalFile::cut(std::uint64_t length) {
  const auto end = static_cast<off_t>(length);
  if (base::retry_errno([&] { return ::ftruncate(file_.get(), end); }) != 0 ||
      ::lseek(file_.get(), end, SEEK_SET) != end) {
    throw base::SystemError("cannot write " + in_journal(path_), errno);
  }
  length_ = length;
}

int JournalFile::reserve([[maybe_unused]] std::uint64_t bytes) {
#ifdef FALLOC_FL_KEEP_SIZE
  if (bytes == 0) return 0;  // the kernel refuses that
  const int result = base::retry_errno([&] {
    return ::fallocate(file_.get(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(length_),
                       static_cast<off_t>(bytes));
  });
  return result == -EOPNOTSUPP || result == -ENOSYS ? 0 : result;
#else
  return 0;
#endif
}

// An error is left to the writes and syncs.
void JournalFile::release() {
  if (file_) static_cast<void>(::ftruncate(file_.get(), static_cast<off_t>(length_)));
}

int JournalFile::append(std::string_view text) {
  if (sync_error_ != 0) return sync_error_;
  ops_.before_journal();
  const std::uint64_t begin = length_;
  while (!text.empty()) {
    const int written = base::retry_errno(
        [&] { return static_cast<int>(::write(file_.get(), text.data(), text.size())); });
    if (written < 0) {
      const auto whole = static_cast<off_t>(begin);
      const bool cut =
          ::ftruncate(file_.get(), whole) == 0 && ::lseek(file_.get(), whole, SEEK_SET) == whole;
      if (!cut) file_.reset();  // nothing may follow a partial line
      length_ = begin;
      return written;
    }
    length_ += static_cast<std::uint64_t>(written);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int JournalFile::sync() {
  if (sync_error_ == 0) sync_error_ = ops_.sync(file_.get());
  return sync_error_;
}

// The name of a new file is durable only when its directory is synced.
int JournalFile::sync_with_name() {
  if (const int result = sync(); result < 0) return result;
  const std::size_t slash = path_.rfind('/');
  base::Fd folder;
  const int result =
      open_root(slash == std::string::npos ? "." : path_.substr(0, slash + 1), folder);
  return result < 0 ? result : ops_.sync(folder.get());
}

}  // namespace fathom::act
