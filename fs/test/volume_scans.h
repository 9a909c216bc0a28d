// Scans of images, and how they are compared.

#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "every_way.h"
#include "fathom/base/atomic.h"
#include "fathom/base/fd.h"
#include "fathom/fs/scan.h"
#include "fathom/testing/temp_tree.h"
#include "volume_images.h"

namespace fathom::fs {

inline Scan scan_with(Engine engine, const std::vector<std::string>& roots) {
  ScanOptions options = options_for({engine, 0}, roots);
  options.read_times = true;
  return scan(options);
}

inline Engine engine_of(const std::string& type) {
  if (type == "btrfs") return Engine::btrfs;
  return type == "xfs" ? Engine::xfs : Engine::ext4;
}

// How a device is named: by its number, or, as the kernel numbers the devices of each mount anew,
// by its place among the devices of a scan.
enum class Devices { numbered, in_order };

// Everything that a scan says, a line for each entry and error, sorted.
inline std::vector<std::string> lines_of(const Scan& scan, Devices devices = Devices::numbered) {
  std::vector<std::string> lines;
  std::map<std::uint64_t, std::size_t> places;
  scan.tree.for_each_node([&](NodeId node) {
    const Entry entry = scan.tree.entry(node);
    const std::size_t place = places.emplace(entry.device, places.size()).first->second;
    const std::uint64_t device = devices == Devices::numbered ? entry.device : place;
    std::ostringstream line;
    line << scan.tree.path(node) << " size " << entry.size << " blocks " << entry.blocks
         << " inode " << entry.inode << " device " << device << " uid " << entry.uid << " gid "
         << entry.gid << " links " << entry.links << " mode " << std::oct << entry.mode << std::dec
         << " mtime " << entry.mtime << ' ' << entry.times.mtime << " ctime " << entry.times.ctime
         << " btime " << entry.times.btime << " flags " << int{scan.tree.flags(node)};
    lines.push_back(line.str());
  });
  for (const ScanError& error : scan.errors) {
    lines.push_back(error.path + ": " + error.operation + ": errno " + std::to_string(error.code));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

// Throws with the first difference.
inline void require_same(const Scan& walked, const Scan& read,
                         Devices devices = Devices::numbered) {
  const auto a = lines_of(walked, devices);
  const auto b = lines_of(read, devices);
  const auto [at, bt] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (at == a.end() && bt == b.end()) return;
  throw base::Error("walked: " + (at == a.end() ? "nothing more" : *at) +
                    "\nread:   " + (bt == b.end() ? "nothing more" : *bt));
}

// Whether the only filesystem of the scan was read in bulk.
inline void require_read(const Scan& scan) {
  require(scan.volumes.size() == 1, "one filesystem");
  const VolumeFacts& volume = scan.volumes.front();
  require(volume.why_walked.empty(), "it is read, but: " + volume.why_walked);
}

// Writes the filesystem to its image, and waits until the clock that filesystems use for times has
// reached the next second: only then is a change before older than a scan.
inline void settle(const std::string& top) {
  const base::Fd folder(::open(top.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  require(::syncfs(folder.get()) == 0, "synced");
  const auto seconds = [] {
    struct timespec now = {};
    ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return now.tv_sec;
  };
  const struct timespec next = {.tv_sec = seconds() + 1, .tv_nsec = 0};
  // The other clock is some milliseconds ahead.
  while (seconds() < next.tv_sec) {
    (void)::clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &next, nullptr);
    std::this_thread::yield();
  }
}

// Runs the body with the image mounted; its parameter is the mounted directory. Skips the test if
// that is not possible here.
inline void run_mounted(Image& image, const std::function<void(const std::string&)>& body) {
  const bool passed = image.why_not().empty() && image.run([&] { body(image.top()); });
  if (!image.why_not().empty()) GTEST_SKIP() << image.why_not();
  EXPECT_TRUE(passed);
}

// Changes files below a directory in a thread. The size of a file tells its name: a file named N
// has 0, N or N + 1 bytes, whatever had its inode before.
class Writer {
 public:
  // Makes files that are old when the thread starts.
  explicit Writer(std::string folder) : folder_(std::move(folder)) {
    constexpr std::uint64_t kOldFiles = 1000;
    while (number_ < kOldFiles) add(folder_);
  }
  ~Writer() {
    stop_.store(true, base::memory_order_relaxed);
    if (thread_.joinable()) thread_.join();
  }
  void start() {
    thread_ = std::thread([this] { run(); });
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

 private:
  void run() {
    std::mt19937 random(1);
    std::vector<std::string> folders = {folder_};
    while (!stop_.load(base::memory_order_relaxed)) {
      const std::string& folder = folders[random() % folders.size()];
      if (random() % 2 == 0) {
        delete_one(random);
      } else if (random() % 20 == 0 && folders.size() < 50) {
        folders.push_back(folder + "/" + std::to_string(++number_) + "-folder");
        static_cast<void>(::mkdir(folders.back().c_str(), 0755));
      } else {
        add(folder);
      }
    }
  }

  void add(const std::string& folder) {
    const std::uint64_t number = ++number_;
    const std::string path = folder + "/" + std::to_string(number);
    const base::Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    static_cast<void>(::ftruncate(file.get(), static_cast<off_t>(number)));
    files_.push_back(path);
    if (number % 3 == 0) {
      static_cast<void>(::pwrite(file.get(), "x", 1, static_cast<off_t>(number)));
    }
  }

  // Files are deleted in random order, so that others soon get their inodes.
  void delete_one(std::mt19937& random) {
    if (files_.empty()) return;
    const std::size_t at = random() % files_.size();
    ::unlink(files_[at].c_str());
    files_[at] = files_.back();
    files_.pop_back();
  }

  const std::string folder_;
  std::vector<std::string> files_;
  std::uint64_t number_ = 0;  // of the last file
  base::atomic<bool> stop_{false};
  std::thread thread_;
};

// Requires of a scan that each file of the Writer has a state that it had.
inline void require_states(const Scan& found, const std::string& folder) {
  std::uint64_t files = 0;
  found.tree.for_each_node([&](NodeId node) {
    const std::string path = found.tree.path(node);
    const std::string name(found.tree.name(node));
    if (!path.starts_with(folder + "/") || name.ends_with("-folder")) return;
    const std::uint64_t number = std::stoull(name);
    const std::uint64_t size = found.tree.size(node);
    require(found.tree.kind(node) == Kind::file, path + " is a file");
    require(size == 0 || size == number || size == number + 1,
            path + " has " + std::to_string(size) + " bytes");
    ++files;
  });
  require(files > 0, "files were seen");
}

}  // namespace fathom::fs
