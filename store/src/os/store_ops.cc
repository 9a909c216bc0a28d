// StoreOps: the system calls, with a fallback for filesystems that lack one of them.

#include "os/store_ops.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/fs.h>
#include <sys/syscall.h>
#endif

#include <algorithm>
#include <cerrno>
#include <memory>
#include <random>

#include "fathom/base/error.h"
#include "fathom/base/path.h"
#include "fathom/base/retry.h"
#include "fathom/base/sync.h"
#include "os/file.h"

namespace fathom::store {

namespace {

constexpr mode_t kOwnFolder = 0700;
constexpr mode_t kOwnFile = 0600;

// -ENOSYS: not supported by the kernel or the filesystem.
int rename_to_free_name([[maybe_unused]] int folder, [[maybe_unused]] const std::string& from,
                        [[maybe_unused]] const std::string& to) {
#ifdef SYS_renameat2
  const int result = base::retry_errno([&] {
    return static_cast<int>(::syscall(SYS_renameat2, folder, from.c_str(), folder, to.c_str(),
                                      static_cast<unsigned>(RENAME_NOREPLACE)));
  });
  return result == -EINVAL ? -ENOSYS : result;
#else
  return -ENOSYS;
#endif
}

// A directory with content is never replaced, and a snapshot has content.
int rename_plainly(int folder, const std::string& from, const std::string& to) {
  const int result =
      base::retry_errno([&] { return ::renameat(folder, from.c_str(), folder, to.c_str()); });
  return result == -ENOTEMPTY ? -EEXIST : result;
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

}  // namespace

// ---- Calls that change something

void StoreOps::make_path() const {
  for (std::size_t slash = 0; slash != std::string::npos;) {
    slash = path_.find('/', slash + 1);
    const std::string folder = path_.substr(0, slash);
    before("make path");
    const int made = base::retry_errno([&] { return ::mkdir(folder.c_str(), kOwnFolder); });
    if (made == 0) {
      const std::string above = base::folder_of(folder);
      sync(open_folder(above.empty() ? "." : above).get());
    } else if (::access(folder.c_str(), F_OK) != 0) {
      // What exists may be impossible to create for other reasons than EEXIST.
      throw base::SystemError("cannot create " + folder, -made);
    }
  }
}

void StoreOps::make_folder(int folder, const std::string& name) const {
  before("make folder");
  if (const int made =
          base::retry_errno([&] { return ::mkdirat(folder, name.c_str(), kOwnFolder); });
      made != 0) {
    cannot("create", name, -made);
  }
}

void StoreOps::make_private(int folder) const {
  before("make private");
  if (::fchmod(folder, kOwnFolder) != 0) cannot("change the mode of", "", errno);
}

void StoreOps::write_file(int folder, const std::string& name, std::string_view text) const {
  before("create");
  NewFile file(folder, name);
  before("write");
  file.write(text);
  before("sync file");
  file.finish();
}

int StoreOps::rename(int folder, const std::string& from, const std::string& to) const {
  before("rename");
  int result = rename_to_free_name(folder, from, to);
  if (result == -ENOSYS) result = rename_plainly(folder, from, to);
  if (result != 0 && result != -EEXIST && result != -ENOENT) cannot("rename", from, -result);
  return -result;
}

void StoreOps::replace(int folder, const std::string& from, const std::string& to) const {
  before("replace");
  if (const int result = rename_plainly(folder, from, to); result != 0) {
    cannot("replace", to, -result);
  }
}

void StoreOps::sync(int folder) const {
  before("sync");
  if (const int result = base::sync_file(folder); result != 0) cannot("sync", "", -result);
}

void StoreOps::remove_file(int folder, const std::string& name, const std::string& within) const {
  before("remove file");
  if (base::retry([&] { return ::unlinkat(folder, name.c_str(), 0); }) == 0) return;
  if (errno != ENOENT) cannot("remove", within.empty() ? name : within + '/' + name, errno);
}

void StoreOps::remove_folder(int folder, const std::string& name) const {
  before("remove folder");
  if (base::retry([&] { return ::unlinkat(folder, name.c_str(), AT_REMOVEDIR); }) == 0) return;
  if (errno != ENOENT) cannot("remove", name, errno);
}

std::uint64_t StoreOps::erase(int folder, const std::string& name) const {
  base::Fd inside;
  std::vector<std::string> files;
  try {
    inside = open_existing_folder(folder, name);
    if (inside) files = names_in(inside.get());
  } catch (const base::SystemError& error) {
    cannot("remove", name, error.code());
  }
  std::uint64_t bytes = disk_bytes_of(folder, name);
  if (!inside) {
    remove_file(folder, name);
    return bytes;
  }
  for (const std::string& file : files) {
    bytes += disk_bytes_of(inside.get(), file);
    remove_file(inside.get(), file, name);
  }
  remove_folder(folder, name);
  return bytes;
}

base::Fd StoreOps::lock_shared(int folder, const std::string& name) const {
  return lock(folder, name, LOCK_SH);
}

base::Fd StoreOps::lock_alone(int folder, const std::string& name) const {
  return lock(folder, name, LOCK_EX);
}

base::Fd StoreOps::lock(int folder, const std::string& name, int how) const {
  base::Fd file = open_lock(folder, name);
  if (base::retry([&] { return ::flock(file.get(), how); }) != 0) cannot("lock", name, errno);
  return file;
}

base::Fd StoreOps::try_lock(int folder, const std::string& name) const {
  base::Fd file = open_lock(folder, name);
  if (base::retry([&] { return ::flock(file.get(), LOCK_EX | LOCK_NB); }) == 0) return file;
  if (errno != EWOULDBLOCK) cannot("lock", name, errno);
  return base::Fd();
}

base::Fd StoreOps::open_lock(int folder, const std::string& name) const {
  before("lock");
  // Writable, because NFS locks only such files exclusively.
  base::Fd file(base::retry([&] {
    return ::openat(folder, name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, kOwnFile);
  }));
  if (!file) cannot("open", name, errno);
  return file;
}

void StoreOps::cannot(const char* what, const std::string& name, int code) const {
  const std::string place = name.empty() ? path_ : path_ + '/' + name;
  throw base::SystemError("cannot " + std::string(what) + ' ' + place, code);
}

// ---- Names

std::string temporary_name() {
  std::random_device device;
  std::string name(kTemporary);
  while (name.size() < kTemporary.size() + 16) name += "0123456789abcdef"[device() & 15];
  return name;
}

// ---- Calls that change nothing

base::Fd open_existing_folder(int folder, const std::string& name) {
  base::Fd opened(base::retry([&] {
    return ::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  }));
  if (!opened && errno != ENOENT && errno != ENOTDIR && errno != ELOOP) {
    throw base::SystemError("cannot be opened", errno);
  }
  return opened;
}

std::vector<std::string> names_in(int folder) {
  // The position of a descriptor is shared with its copies, so that this needs its own.
  base::Fd own(
      base::retry([&] { return ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!own) throw base::SystemError("cannot be read", errno);
  const std::unique_ptr<DIR, CloseDirectory> directory(::fdopendir(own.get()));
  if (!directory) throw base::SystemError("cannot be read", errno);
  static_cast<void>(own.release());
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(directory.get());
    if (entry == nullptr) break;
    const std::string name(entry->d_name);
    if (name != "." && name != "..") names.push_back(name);
  }
  if (errno != 0) throw base::SystemError("cannot be read", errno);
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::uint32_t> foreign_owner(int folder) {
  struct stat facts = {};
  if (::fstat(folder, &facts) != 0) throw base::SystemError("cannot be read", errno);
  if (facts.st_uid == ::geteuid()) return std::nullopt;
  return facts.st_uid;
}

std::uint64_t disk_bytes_of(int folder, const std::string& name) {
  struct stat facts = {};
  if (::fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) return 0;
  return static_cast<std::uint64_t>(facts.st_blocks) * 512;
}

std::optional<std::string> read_small_file(int folder, const std::string& name, std::size_t most) {
  try {
    const OldFile file(folder, name);
    if (file.size() > most) throw base::Error(name + " is too long");
    std::string text(file.size(), '\0');
    file.read(0, text);
    return text;
  } catch (const base::SystemError& error) {
    if (error.code() != ENOENT) throw;
    return std::nullopt;
  }
}

}  // namespace fathom::store
