// ReadFloor: the candidates by directory, and reading with a fast hash.

#include "read_floor.h"

#define XXH_INLINE_ALL
#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <thread>
#include <unordered_map>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/clock.h"
#include "fathom/base/fd.h"
#include "fathom/fs/scan.h"

namespace fathom::bench {

namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;

struct Folder {
  std::string path;
  std::vector<std::string> names;
};

// The files that have the same size as another one, by directory.
std::vector<Folder> candidates(const std::string& root) {
  fs::ScanOptions options;
  options.roots = {root};
  const fs::Scan found = fs::scan(options);
  const fs::Tree& tree = found.tree;
  const auto counts = [&](fs::NodeId node) {
    return tree.kind(node) == fs::Kind::file && tree.size(node) > 0 &&
           (tree.flags(node) & (fs::kExtraLink | fs::kUncounted)) == 0;
  };
  std::unordered_map<std::uint64_t, std::uint32_t> sizes;
  tree.for_each_node([&](fs::NodeId node) {
    if (counts(node)) ++sizes[tree.size(node)];
  });
  std::unordered_map<fs::DirId, std::size_t> places;
  std::vector<Folder> folders;
  tree.for_each_node([&](fs::NodeId node) {
    if (!counts(node) || sizes[tree.size(node)] < 2 || tree.parent(node) == fs::kNoDir) return;
    const auto [place, is_new] = places.try_emplace(tree.parent(node), folders.size());
    if (is_new) folders.push_back({tree.path(tree.node(tree.parent(node))), {}});
    folders[place->second].names.emplace_back(tree.name(node));
  });
  return folders;
}

void read_folder(const Folder& folder, std::byte* buffer, ReadSums& sums) {
  const base::Fd directory(::open(folder.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (const std::string& name : folder.names) {
    const base::Fd file(::openat(directory.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    ++sums.files;
    if (!file) {
      ++sums.failed;
      continue;
    }
    for (;;) {
      const ssize_t got = ::read(file.get(), buffer, kBuffer);
      if (got < 0) ++sums.failed;
      if (got > 0) {
        const auto length = static_cast<std::size_t>(got);
        sums.hash ^= XXH3_64bits(buffer, length);
        sums.bytes += length;
      }
      if (got < static_cast<ssize_t>(kBuffer)) break;  // the end of a regular file
    }
  }
}

}  // namespace

ReadSums read_floor(const std::string& root, unsigned threads) {
  const std::vector<Folder> folders = candidates(root);
  std::vector<ReadSums> shares(threads);
  base::atomic<std::size_t> next{0};
  const auto work = [&](ReadSums& share) {
    const std::unique_ptr<std::byte[]> buffer(new std::byte[kBuffer]);
    for (;;) {
      const std::size_t at = next.fetch_add(1, base::memory_order_relaxed);
      if (at >= folders.size()) return;
      read_folder(folders[at], buffer.get(), share);
    }
  };
  const base::Stopwatch watch;
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back([&, i] { work(shares[i]); });
  work(shares[0]);
  for (std::thread& other : others) other.join();
  ReadSums sums;
  sums.seconds = watch.seconds();
  for (const ReadSums& share : shares) {
    sums.files += share.files;
    sums.bytes += share.bytes;
    sums.hash ^= share.hash;
    sums.failed += share.failed;
  }
  return sums;
}

}  // namespace fathom::bench
