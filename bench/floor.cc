// Floor: work stealing by an exchange; each thread keeps a stack of directories and blocks.

#include "floor.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/base/error.h"
#include "fathom/base/fd.h"

namespace fathom::bench {

namespace {

// The result of one getdents64 call.
struct Block {
  static constexpr std::size_t kBytes = std::size_t{64} * 1024;

  alignas(dirent64) std::byte bytes[kBytes];
  std::size_t used;
};

// An open directory. Each pending task in it is a user; the last user closes and deletes it.
class Directory {
 public:
  explicit Directory(int descriptor) : descriptor_(descriptor) {}

  [[nodiscard]] int descriptor() const { return descriptor_.get(); }
  void use() { users_.fetch_add(1, base::memory_order_relaxed); }
  void done() {
    // Release: this user's accesses precede the close; acquire: for the user that reads 1.
    if (users_.fetch_sub(1, base::memory_order_acq_rel) == 1) delete this;
  }

 private:
  ~Directory() = default;

  const base::Fd descriptor_;
  base::atomic<std::uint32_t> users_{1};
};

// A task: to open and list a directory by name or, with a block, to examine the names in it.
struct Task {
  Directory* in;  // the task is a user of it
  std::string name;
  std::unique_ptr<Block> block;
};
using Tasks = std::vector<Task>;

// Where idle threads wait for tasks that others can spare. The others only read one variable, which
// rarely changes.
class Exchange {
 public:
  explicit Exchange(unsigned threads) : threads_(threads) {}

  [[nodiscard]] bool wants_work() const { return wanted_.load(base::memory_order_relaxed) > 0; }

  // Takes the older half of the tasks, which are nearer to the root and therefore larger.
  void give_half(Tasks& tasks) {
    const auto middle = tasks.begin() + static_cast<std::ptrdiff_t>((tasks.size() + 1) / 2);
    {
      const std::lock_guard lock(mutex_);
      std::move(tasks.begin(), middle, std::back_inserter(offered_));
      update();
    }
    tasks.erase(tasks.begin(), middle);
    condition_.notify_all();
  }

  // Waits for a task; false when there is no work left.
  bool take(Task& task) {
    std::unique_lock lock(mutex_);
    if (offered_.empty() && !wait(lock)) return false;
    task = std::move(offered_.back());
    offered_.pop_back();
    update();
    return true;
  }

 private:
  bool wait(std::unique_lock<std::mutex>& lock) {
    if (++waiting_ == threads_) {
      done_ = true;
      condition_.notify_all();
    }
    update();
    lock.unlock();
    spin();
    lock.lock();
    condition_.wait(lock, [this] { return done_ || !offered_.empty(); });
    if (offered_.empty()) return false;
    --waiting_;
    return true;
  }

  // Going to sleep and waking up would take longer than most waits here.
  void spin() const {
    constexpr int kSpins = 500;
    for (int i = 0; i < kSpins && wants_work(); ++i) base::cpu_relax();
  }

  void update() {
    const int wanted = done_ ? 0 : static_cast<int>(waiting_) - static_cast<int>(offered_.size());
    wanted_.store(wanted, base::memory_order_relaxed);
  }

  const unsigned threads_;
  alignas(base::kCacheLine) base::atomic<int> wanted_{0};  // tasks that idle threads still want
  alignas(base::kCacheLine) std::mutex mutex_;             // guards the members below
  std::condition_variable condition_;
  Tasks offered_;
  unsigned waiting_ = 0;
  bool done_ = false;
};

// Only the owner of a directory may use O_NOATIME; after one refusal it is not tried again.
base::atomic<bool> may_skip_atime{true};

int open_directory(int at, const char* name) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  if (may_skip_atime.load(base::memory_order_relaxed)) {
    const int directory = ::openat(at, name, kFlags | O_NOATIME);
    if (directory >= 0 || errno != EPERM) return directory;
    may_skip_atime.store(false, base::memory_order_relaxed);
  }
  return ::openat(at, name, kFlags);
}

bool is_dot(const char* name) {
  return name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0));
}

class alignas(base::kCacheLine) Worker {
 public:
  explicit Worker(Exchange& exchange) : exchange_(exchange) {}

  // The worker with the root starts; the others start without work.
  void add_root(int descriptor) { tasks_.push_back({new Directory(descriptor), ".", nullptr}); }

  void run() {
    Task task;
    while (next(task)) {
      if (task.block) {
        look_at(*task.in, *task.block);
        task.in->done();
      } else {
        open(task);
      }
    }
  }

  [[nodiscard]] const FloorSums& sums() const { return sums_; }

 private:
  bool next(Task& task) {
    if (tasks_.empty()) return exchange_.take(task);
    task = std::move(tasks_.back());
    tasks_.pop_back();
    spare();
    return true;
  }

  void spare() {
    if (exchange_.wants_work() && !tasks_.empty()) exchange_.give_half(tasks_);
  }

  void open(const Task& task) {
    const int at = task.in->descriptor();
    const char* const name = task.name.c_str();
    const int descriptor = open_directory(at, name);
    struct stat status;
    const int error = descriptor >= 0 ? ::fstat(descriptor, &status)
                                      : ::fstatat(at, name, &status, AT_SYMLINK_NOFOLLOW);
    task.in->done();
    if (error == 0) count(status);
    if (error != 0 || (descriptor < 0 && S_ISDIR(status.st_mode))) ++sums_.unreadable;
    if (descriptor >= 0) list(*new Directory(descriptor));
  }

  void list(Directory& directory) {
    for (;;) {
      if (!block_) block_.reset(new Block);
      const ssize_t read = ::getdents64(directory.descriptor(), block_->bytes, Block::kBytes);
      if (read < 0) ++sums_.unreadable;
      if (read <= 0) break;
      block_->used = static_cast<std::size_t>(read);
      if (!give(directory)) look_at(directory, *block_);
      spare();
    }
    directory.done();
  }

  // Gives a large block to an idle thread.
  bool give(Directory& directory) {
    if (block_->used < Block::kBytes / 2 || !exchange_.wants_work()) return false;
    directory.use();
    Tasks tasks;
    tasks.push_back({&directory, {}, std::move(block_)});
    exchange_.give_half(tasks);
    return true;
  }

  void look_at(Directory& directory, const Block& block) {
    for (std::size_t at = 0; at < block.used;) {
      const auto& entry = *reinterpret_cast<const dirent64*>(block.bytes + at);
      at += entry.d_reclen;
      if (entry.d_type != DT_DIR && entry.d_type != DT_UNKNOWN) {
        look_at(directory, entry.d_name);
      } else if (!is_dot(entry.d_name)) {
        entry.d_type == DT_DIR ? add(directory, entry.d_name) : look_at(directory, entry.d_name);
      }
    }
  }

  void look_at(Directory& directory, const char* name) {
    struct stat status;
    if (::fstatat(directory.descriptor(), name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
      ++sums_.unreadable;
    } else if (S_ISDIR(status.st_mode)) {
      add(directory, name);
    } else {
      count(status);
    }
  }

  void add(Directory& directory, const char* name) {
    directory.use();
    tasks_.push_back({&directory, name, nullptr});
  }

  void count(const struct stat& status) {
    ++sums_.entries;
    sums_.disk_bytes += static_cast<std::uint64_t>(status.st_blocks) * 512;
    sums_.apparent_bytes += static_cast<std::uint64_t>(status.st_size);
  }

  Exchange& exchange_;
  Tasks tasks_;  // the worker's own tasks; the last one is done first
  std::unique_ptr<Block> block_;
  FloorSums sums_;
};

FloorSums sum_of(const std::vector<Worker>& workers) {
  FloorSums all;
  for (const Worker& worker : workers) {
    const FloorSums& one = worker.sums();
    all.entries += one.entries;
    all.disk_bytes += one.disk_bytes;
    all.apparent_bytes += one.apparent_bytes;
    all.unreadable += one.unreadable;
  }
  return all;
}

}  // namespace

FloorSums scan_floor(const std::string& root, unsigned threads) {
  const int descriptor = ::open(root.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) throw base::SystemError("cannot open " + root, errno);

  Exchange exchange(threads);
  std::vector<Worker> workers;
  workers.reserve(threads);
  for (unsigned i = 0; i < threads; ++i) workers.emplace_back(exchange);
  workers.front().add_root(descriptor);
  {
    std::vector<std::jthread> others;
    others.reserve(threads - 1);
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(&Worker::run, &workers[i]);
    workers.front().run();
  }
  return sum_of(workers);
}

}  // namespace fathom::bench
