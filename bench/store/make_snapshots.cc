// fathom-make-snapshots: writes snapshots of a made-up tree, for measurements with more entries
// than a filesystem here has.
//
//   fathom-make-snapshots FOLDER [ENTRIES [COUNT [CHANGED [all-over|together]]]]
//
// Writes COUNT (default: 2) snapshots with about ENTRIES entries (default: 400,000) each: FOLDER/0,
// FOLDER/1, and so on. From one to the next, CHANGED of 1,000,000 files (default: 10,000) have
// other sizes: files all over the tree, or those of neighbouring directories. A directory has nine
// files; there are a million entries per root, one root in memory at a time. Prints what was
// written.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "fathom/base/error.h"
#include "fathom/base/fd.h"
#include "fathom/fs/tree_builder.h"
#include "fathom/rt/executor.h"
#include "fathom/store/snapshot.h"

namespace {

using namespace fathom;

constexpr std::uint64_t kFiles = 9;  // in a directory
constexpr std::uint64_t kDirectoriesPerSection = 1000;
constexpr std::uint64_t kEntriesPerRoot = 1'000'000;
constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kStart = 1'760'000'000;  // seconds since the epoch

struct Wish {
  std::string folder;
  std::uint64_t entries = 400'000;
  std::uint64_t count = 2;
  std::uint64_t changed = 10'000;  // of a million files
  bool together = false;
};

// MurmurHash3's finalizer (Austin Appleby).
std::uint64_t mixed(std::uint64_t value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdU;
  value ^= value >> 33;
  value *= 0xc4ceb9fe1a85ec53U;
  return value ^ value >> 33;
}

std::string numbered(std::string_view name, std::uint64_t number, std::size_t digits) {
  const std::string text = std::to_string(number);
  return std::string(name) + std::string(digits - std::min(digits, text.size()), '0') + text;
}

// The entries of one root, as they were in one snapshot.
class Root {
 public:
  Root(const Wish& wish, std::uint64_t snapshot, std::uint64_t index, std::uint64_t entries)
      : wish_(wish),
        snapshot_(snapshot),
        first_file_(index * kEntriesPerRoot),
        path_(numbered("/data/", index, 3)),
        inode_(index * kEntriesPerRoot * 2 + 2),
        directories_(std::max<std::uint64_t>(1, entries / (kFiles + 1))) {}

  [[nodiscard]] const std::string& path() const { return path_; }

  fs::Scan scan() {
    fs::TreeBuilder builder(true);
    fs::Scan made;
    fs::NodeId root = fs::kNoNode;
    {
      fs::TreeBuilder::Appender rows(builder);
      const auto top = rows.add_directory(fs::kNoDir, 0, path_, directory());
      root = top.node;
      fs::DirId section = top.id;
      for (std::uint64_t i = 0; i < directories_; ++i) {
        if (i % kDirectoriesPerSection == 0) {
          section =
              rows.add_directory(top.id, 1, numbered("section-", i / 1000, 3), directory()).id;
        }
        const auto inside = rows.add_directory(section, 2, numbered("case-", i, 6), directory());
        for (std::uint64_t file = 0; file < kFiles; ++file) {
          add_file(rows, inside.id, i * kFiles + file);
        }
      }
    }
    made.roots = {path_};
    made.tree = builder.finish({root});
    return made;
  }

 private:
  void add_file(fs::TreeBuilder::Appender& rows, fs::DirId in, std::uint64_t index) {
    constexpr std::string_view kNames[] = {"report-", "image_", "log.",  "Data ", "thumbnail-",
                                           "notes ",  "core.",  "index", "part-"};
    constexpr std::string_view kExtensions[] = {".pdf", ".jpg",  ".log", ".csv",    ".png",
                                                ".txt", ".json", ".idx", ".parquet"};
    const std::uint64_t hash = mixed(first_file_ + index);
    // Some change each time, and stay as they are until the next.
    std::uint64_t version = changes(first_file_ + index, hash) ? snapshot_ : 0;
    fs::Entry entry = common(0100644, mixed(hash + version));
    const unsigned bits = 6 + static_cast<unsigned>(hash % 16);
    entry.size = mixed(hash + version) >> (64 - bits);
    entry.blocks = (entry.size + 4095) / 4096 * 8;
    entry.times.mtime += static_cast<std::int64_t>(version) * kDay * 1'000'000'000;
    entry.times.ctime = entry.times.mtime + 1000;
    entry.mtime = entry.times.mtime / 1'000'000'000;
    const std::uint64_t kind = index % kFiles;
    rows.add(in, numbered(kNames[kind], hash % 1'000'000, 6) + std::string(kExtensions[kind]),
             entry);
  }

  [[nodiscard]] bool changes(std::uint64_t file, std::uint64_t hash) const {
    if (!wish_.together) return hash / 7 % 1'000'000 < wish_.changed;
    return file < wish_.entries * wish_.changed / 1'000'000;
  }

  fs::Entry directory() {
    fs::Entry entry = common(0040755, mixed(inode_));
    entry.size = 4096;
    entry.blocks = 8;
    entry.links = 2;
    return entry;
  }

  fs::Entry common(std::uint16_t mode, std::uint64_t hash) {
    fs::Entry entry;
    entry.inode = inode_++;
    entry.device = 1;
    entry.links = 1;
    entry.mode = mode;
    entry.uid = 1000 + static_cast<std::uint32_t>(first_file_ / kEntriesPerRoot % 5);
    entry.gid = 1000;
    const std::int64_t created =
        (kStart + static_cast<std::int64_t>(entry.inode / 50)) * 1'000'000'000;
    entry.times = {.mtime = created + static_cast<std::int64_t>(hash % 1'000'000'000),
                   .ctime = created + static_cast<std::int64_t>(hash % 1'000'000'000),
                   .btime = created};
    entry.mtime = entry.times.mtime / 1'000'000'000;
    return entry;
  }

  const Wish& wish_;
  const std::uint64_t snapshot_;
  const std::uint64_t first_file_;
  const std::string path_;
  std::uint64_t inode_;
  const std::uint64_t directories_;
};

store::SnapshotMeta write_one(const Wish& wish, std::uint64_t snapshot, rt::Executor& executor) {
  const std::string path = wish.folder + "/" + std::to_string(snapshot);
  if (::mkdir(path.c_str(), 0700) != 0) throw base::SystemError("cannot create " + path, errno);
  const base::Fd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  store::SnapshotOptions options;
  options.filesystem_ids = {{1, "6b1f9a3c-0000-4000-8000-000000000001"}};
  options.meta.writer = "fathom-make-snapshots";
  options.meta.started_ns = (kStart + static_cast<std::int64_t>(snapshot) * kDay) * 1'000'000'000;
  options.meta.ended_ns = options.meta.started_ns + 1'000'000'000;
  store::SnapshotWriter writer(options, executor, folder.get());
  for (std::uint64_t done = 0, root = 0; done < wish.entries; done += kEntriesPerRoot, ++root) {
    Root made(wish, snapshot, root, std::min(kEntriesPerRoot, wish.entries - done));
    writer.add(made.scan(), {made.path()});
  }
  return writer.finish();
}

std::uint64_t number(const char* text) {
  char* end = nullptr;
  const std::uint64_t value = std::strtoull(text, &end, 10);
  if (*end != '\0') throw base::Error(std::string(text) + " is not a number");
  return value;
}

Wish wish_of(int count, char** arguments) {
  if (count < 2 || count > 6) {
    throw base::Error(
        "usage: fathom-make-snapshots FOLDER [ENTRIES [COUNT [CHANGED [all-over|together]]]]");
  }
  Wish wish{.folder = arguments[1]};
  if (count > 2) wish.entries = number(arguments[2]);
  if (count > 3) wish.count = number(arguments[3]);
  if (count > 4) wish.changed = number(arguments[4]);
  if (count > 5) wish.together = std::string_view(arguments[5]) == "together";
  return wish;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const Wish wish = wish_of(count, arguments);
    rt::Executor executor({.name = "write"});
    for (std::uint64_t i = 0; i < wish.count; ++i) {
      const store::SnapshotMeta meta = write_one(wish, i, executor);
      std::uint64_t bytes = 0;
      for (const store::SnapshotFile& file : meta.files) bytes += file.bytes;
      std::printf("%s/%llu: %llu entries, %llu bytes\n", wish.folder.c_str(),
                  static_cast<unsigned long long>(i),
                  static_cast<unsigned long long>(meta.totals.entries()),
                  static_cast<unsigned long long>(bytes));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fathom-make-snapshots: %s\n", error.what());
    return 2;
  }
}
