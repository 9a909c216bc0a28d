// Pending: paths, divided at their slashes.

#include "walk/pending.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "fathom/base/error.h"
#include "os/os.h"

namespace fathom::fs {

namespace {

// Whether the name is that of an entry of a directory.
bool is_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.size() <= os::NameBlock::kLongestName && name.find('\0') == std::string_view::npos;
}

// The root with a slash at the end.
std::string folder(const std::string& root) {
  return root.ends_with('/') ? root : root + '/';
}

void check_distinct(const std::vector<std::string>& roots) {
  std::vector<std::string> sorted;
  for (const std::string& root : roots) sorted.push_back(folder(root));
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].starts_with(sorted[i - 1])) {
      throw base::Error("a scan in shards needs roots that do not contain each other");
    }
  }
}

}  // namespace

Pending::~Pending() {
  std::vector<std::map<std::string, Pending, std::less<>>> waiting;
  waiting.push_back(std::move(inside));
  while (!waiting.empty()) {
    auto level = std::move(waiting.back());
    waiting.pop_back();
    for (auto& [name, below] : level) {
      if (!below.inside.empty()) waiting.push_back(std::move(below.inside));
    }
  }
}

void Pending::add(std::string_view path) {
  const bool directory = path.ends_with('/');
  if (directory) path.remove_suffix(1);
  Pending* in = this;
  for (;;) {
    const std::size_t slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    if (!is_name(name)) throw base::Error("a path of the rest of a shard is damaged");
    if (slash == std::string_view::npos) {
      in->names.push_back({.name = std::string(name), .directory = directory});
      return;
    }
    auto found = in->inside.find(name);
    if (found == in->inside.end()) found = in->inside.emplace(name, Pending()).first;
    in = &found->second;
    path.remove_prefix(slash + 1);
  }
}

std::vector<Pending> pending_in(const std::vector<std::string>& roots,
                                const std::vector<std::string>& paths) {
  check_distinct(roots);
  std::vector<Pending> pending(roots.size());
  std::size_t last = 0;  // most paths are in the same root as the one before
  for (const std::string& path : paths) {
    std::size_t root = last;
    for (std::size_t tried = 0; !path.starts_with(folder(roots[root])); ++tried) {
      if (tried == roots.size()) {
        throw base::Error("a path of the rest of a shard is in none of its roots");
      }
      root = (root + 1) % roots.size();
    }
    pending[root].add(std::string_view(path).substr(folder(roots[root]).size()));
    last = root;
  }
  return pending;
}

}  // namespace fathom::fs
