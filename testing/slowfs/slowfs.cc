// slowfs: shows a directory as a filesystem that answers slowly, as a busy file server does. See
// kHelp. A delay costs no processor time, so that many waiting threads are honest on two cores.

#include <dirent.h>
#include <fcntl.h>
#include <getopt.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "fathom/base/atomic.h"

#define FUSE_USE_VERSION 31
#include <fuse.h>

namespace {

constexpr int kWrongUsage = 2;

constexpr char kHelp[] =
    "usage: slowfs DIR MOUNTPOINT [--delay-us N] [--slots N] [--threads N] [--remember SECONDS]\n"
    "\n"
    "Shows DIR, which is one filesystem, read-only at MOUNTPOINT. Inode numbers and numbers of\n"
    "links stay the same. Ends when it receives SIGTERM, when the filesystem is unmounted, or\n"
    "with the process that started it. Then it prints as one line of JSON how many operations of\n"
    "each kind it has answered, and the most that waited for their answers at the same time.\n"
    "\n"
    "--delay-us N        each operation takes at least N microseconds (default: 5000)\n"
    "--slots N           at most N operations make progress at the same time (default: 1024)\n"
    "--threads N         threads that receive operations (default: 128)\n"
    "--remember SECONDS  how long the kernel may answer from its cache (default: 1)\n";

struct Options {
  std::string directory;
  std::string mountpoint;
  unsigned delay_us = 5000;
  unsigned slots = 1024;
  unsigned threads = 128;
  unsigned remember = 1;
};

enum class Kind : std::uint8_t { getattr, readlink, opendir, readdir, open, read, statfs };
constexpr std::array<const char*, 7> kKinds = {"getattr", "readlink", "opendir", "readdir",
                                               "open",    "read",     "statfs"};

// The server that answers slowly: delays operations, and counts them.
class Server {
 public:
  Server(int directory, const Options& options) : directory_(directory), options_(options) {}

  [[nodiscard]] int directory() const { return directory_; }
  [[nodiscard]] const Options& options() const { return options_; }

  void begin(Kind kind) {
    std::unique_lock lock(mutex_);
    ++counts_[static_cast<std::size_t>(kind)];
    peak_ = std::max(peak_, ++in_flight_);
    slot_is_free_.wait(lock, [this] { return in_progress_ < options_.slots; });
    ++in_progress_;
    lock.unlock();
    // The purpose of the program.
    std::this_thread::sleep_for(std::chrono::microseconds(options_.delay_us));
  }

  void end() {
    const std::lock_guard lock(mutex_);
    --in_progress_;
    --in_flight_;
    slot_is_free_.notify_one();
  }

  void print() {
    const std::lock_guard lock(mutex_);
    std::printf("{\"operations\":{");
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
      std::printf("%s\"%s\":%ju", i == 0 ? "" : ",", kKinds[i], std::uintmax_t{counts_[i]});
    }
    std::printf("},\"peak\":%u}\n", peak_);
    std::fflush(stdout);
  }

 private:
  const int directory_;
  const Options& options_;

  std::mutex mutex_;  // of everything below
  std::condition_variable slot_is_free_;
  std::array<std::uint64_t, kKinds.size()> counts_ = {};
  unsigned in_flight_ = 0;    // received, not answered
  unsigned in_progress_ = 0;  // those that have a slot
  unsigned peak_ = 0;         // the largest in_flight_
};

Server& server() {
  return *static_cast<Server*>(fuse_get_context()->private_data);
}

// One operation, from its arrival to its answer.
class Operation {
 public:
  explicit Operation(Kind kind) : server_(server()) { server_.begin(kind); }
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  ~Operation() { server_.end(); }

  [[nodiscard]] int directory() const { return server_.directory(); }

 private:
  Server& server_;
};

// The path below the directory: FUSE passes "/" and "/a/b".
const char* below(const char* path) {
  return path[1] == '\0' ? "." : path + 1;
}

int answer(int result) {
  return result < 0 ? -errno : result;
}

DIR* listing(const fuse_file_info* file) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): FUSE keeps a handle as a number.
  return reinterpret_cast<DIR*>(static_cast<std::uintptr_t>(file->fh));
}

int get_attributes(const char* path, struct stat* found, fuse_file_info*) {
  const Operation operation(Kind::getattr);
  return answer(::fstatat(operation.directory(), below(path), found, AT_SYMLINK_NOFOLLOW));
}

int read_link(const char* path, char* target, std::size_t size) {
  const Operation operation(Kind::readlink);
  const ssize_t length = ::readlinkat(operation.directory(), below(path), target, size - 1);
  if (length < 0) return -errno;
  target[length] = '\0';
  return 0;
}

int open_directory(const char* path, fuse_file_info* file) {
  const Operation operation(Kind::opendir);
  const int descriptor =
      ::openat(operation.directory(), below(path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return -errno;
  DIR* const opened = ::fdopendir(descriptor);
  if (opened == nullptr) {
    const int error = errno;
    ::close(descriptor);
    return -error;
  }
  file->fh = reinterpret_cast<std::uintptr_t>(opened);
  return 0;
}

// Continues at the offset, so that each block of a large directory is one operation.
int read_directory(const char*, void* block, fuse_fill_dir_t fill, off_t offset,
                   fuse_file_info* file, fuse_readdir_flags) {
  const Operation operation(Kind::readdir);
  DIR* const opened = listing(file);
  if (offset != ::telldir(opened)) ::seekdir(opened, offset);
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(opened);
    if (entry == nullptr) return -errno;
    struct stat known = {};
    known.st_ino = entry->d_ino;
    known.st_mode = DTTOIF(entry->d_type);
    if (fill(block, entry->d_name, &known, entry->d_off, fuse_fill_dir_flags{}) != 0) return 0;
  }
}

// Not an Operation: nobody waits for the answer.
int close_directory(const char*, fuse_file_info* file) {
  ::closedir(listing(file));
  return 0;
}

int open_file(const char* path, fuse_file_info* file) {
  const Operation operation(Kind::open);
  // Never waits for the writer of a named pipe.
  const int flags = (file->flags & ~O_ACCMODE) | O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC;
  const int descriptor = ::openat(operation.directory(), below(path), flags);
  if (descriptor < 0) return -errno;
  file->fh = static_cast<std::uint64_t>(descriptor);
  return 0;
}

int read_file(const char*, char* block, std::size_t size, off_t offset, fuse_file_info* file) {
  const Operation operation(Kind::read);
  return answer(static_cast<int>(::pread(static_cast<int>(file->fh), block, size, offset)));
}

int close_file(const char*, fuse_file_info* file) {
  ::close(static_cast<int>(file->fh));
  return 0;
}

int get_totals(const char*, struct statvfs* totals) {
  const Operation operation(Kind::statfs);
  return answer(::fstatvfs(operation.directory(), totals));
}

void* start(fuse_conn_info* connection, fuse_config* config) {
  // Names with all their attributes in one answer would make an entry free of charge.
  connection->want |= static_cast<unsigned>(FUSE_CAP_PARALLEL_DIROPS);
  connection->want &= ~static_cast<unsigned>(FUSE_CAP_READDIRPLUS | FUSE_CAP_READDIRPLUS_AUTO);
  config->use_ino = 1;
  config->nullpath_ok = 1;
  config->entry_timeout = config->attr_timeout = config->negative_timeout =
      server().options().remember;
  return &server();
}

void stop(void* data) {
  static_cast<Server*>(data)->print();
}

fuse_operations operations() {
  fuse_operations all = {};
  all.getattr = get_attributes;
  all.readlink = read_link;
  all.opendir = open_directory;
  all.readdir = read_directory;
  all.releasedir = close_directory;
  all.open = open_file;
  all.read = read_file;
  all.release = close_file;
  all.statfs = get_totals;
  all.init = start;
  all.destroy = stop;
  return all;
}

std::optional<unsigned> parse_number(std::string_view text) {
  unsigned number = 0;
  const auto [stop_at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop_at != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<Options> parse(int count, char** values) {
  Options options;
  constexpr option kLong[] = {{"delay-us", required_argument, nullptr, 'd'},
                              {"slots", required_argument, nullptr, 's'},
                              {"threads", required_argument, nullptr, 't'},
                              {"remember", required_argument, nullptr, 'r'},
                              {nullptr, 0, nullptr, 0}};
  for (int flag = 0; (flag = ::getopt_long(count, values, "", kLong, nullptr)) != -1;) {
    if (flag == '?') return std::nullopt;
    const auto number = parse_number(optarg);
    if (!number || (*number == 0 && (flag == 's' || flag == 't'))) return std::nullopt;
    (flag == 'd'   ? options.delay_us
     : flag == 's' ? options.slots
     : flag == 't' ? options.threads
                   : options.remember) = *number;
  }
  if (count - optind != 2) return std::nullopt;
  options.directory = values[optind];
  options.mountpoint = values[optind + 1];
  return options;
}

int run(const Options& options) {
  // A mount must not outlive the test that made it, however that test ended.
  const pid_t parent = ::getppid();
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) return 0;

  const int directory = ::open(options.directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) {
    std::fprintf(stderr, "slowfs: %s: %s\n", options.directory.c_str(), std::strerror(errno));
    return kWrongUsage;
  }
  // The kernel checks permissions as it does below the directory. Only root may let others in.
  std::string mount_options = "ro,default_permissions,fsname=slowfs,subtype=slowfs";
  if (::geteuid() == 0) mount_options += ",allow_other";
  // Older versions start as many threads as there are operations.
  if (fuse_version() >= 312) {
    const std::string threads = std::to_string(options.threads);
    mount_options += ",max_threads=" + threads + ",max_idle_threads=" + threads;
  }
  std::string words[] = {"slowfs", options.mountpoint, "-f", "-o", mount_options};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  Server slow(directory, options);
  const fuse_operations all = operations();
  return fuse_main(static_cast<int>(arguments.size()), arguments.data(), &all, &slow);
}

}  // namespace

// libfuse before 3.16.2 does not pass FUSE_CAP_PARALLEL_DIROPS on to the kernel, which then asks
// for one name of a directory after the other (https://github.com/libfuse/libfuse/pull/861). So
// this takes the place of the C library's writev(), and adds the flag to the answer to the kernel's
// first request: a fuse_out_header, and a fuse_init_out, of <linux/fuse.h>.
extern "C" ssize_t writev(int file, const iovec* parts, int count) {
  static fathom::base::atomic<bool> is_first{true};
  constexpr std::size_t kInitOut = 64;
  constexpr std::size_t kFlags = 12;
  if (is_first.exchange(false, fathom::base::memory_order_relaxed) && count == 2 &&
      parts[1].iov_len == kInitOut) {
    constexpr std::uint32_t kParallelDirops = 1U << 18U;
    std::uint32_t flags = 0;
    char* const place = static_cast<char*>(parts[1].iov_base) + kFlags;
    std::memcpy(&flags, place, sizeof flags);
    flags |= kParallelDirops;
    std::memcpy(place, &flags, sizeof flags);
  }
  return ::syscall(SYS_writev, file, parts, count);
}

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) return std::fputs(kHelp, stdout) < 0;
  const std::optional<Options> options = parse(argc, argv);
  if (options) return run(*options);
  std::fputs(kHelp, stderr);
  return kWrongUsage;
}
