// Inside: visits everything in a directory, level by level.

#include "rules/inside.h"

#include <unordered_map>
#include <utility>

#include "fathom/act/never_touch.h"

namespace fathom::act {

namespace {

class InsideSearch {
 public:
  InsideSearch(const fs::Tree& tree, const fs::Children& children, std::uint32_t uid)
      : tree_(tree), children_(children), uid_(uid) {}

  Inside run(fs::NodeId node, fs::DirId directory) {
    device_ = tree_.device(node);
    top_ = node;
    add(node);
    if (directory != fs::kNoDir) waiting_.push_back(directory);
    while (!waiting_.empty()) {
      const fs::DirId next = waiting_.back();
      waiting_.pop_back();
      visit(next);
    }
    return std::move(found_);
  }

 private:
  void visit(fs::DirId directory) {
    for (const fs::DirId below : children_.directories(directory)) {
      add_below(tree_.node(below), below);
      waiting_.push_back(below);
    }
    const auto others = children_.others(directory);
    for (const fs::NodeId other : others) add_below(other, fs::kNoDir);
    if (!found_.never) look_for_databases(others);
  }

  void add(fs::NodeId node) {
    constexpr std::uint8_t kUnsure = fs::kIncomplete | fs::kRepeated | fs::kHasOmittedChildren;
    if ((tree_.flags(node) & kUnsure) != 0) found_.incomplete = true;
    if (tree_.uid(node) != uid_) found_.other_owner = true;
    if (tree_.device(node) != device_) found_.other_device = true;
  }

  void add_below(fs::NodeId node, fs::DirId directory) {
    add(node);
    const std::string_view name = tree_.name(node);
    found_.names.push_back(name);
    if (name == ".gitignore") found_.ignore_files.push_back(node);
    if (found_.never) return;
    const auto whole = [&] { return '/' + tree_.path(node); };
    const auto has_entries = [&] { return directory != fs::kNoDir && !is_empty(directory); };
    if (const auto never = never_inside({name, whole, has_entries})) {
      found_.never = "contains " + std::string(*never) + " (" + path_to(node) + ')';
    }
  }

  [[nodiscard]] bool is_empty(fs::DirId directory) const {
    return children_.directories(directory).empty() && children_.others(directory).empty();
  }

  // A name with such an ending whose rest is a file beside it.
  void look_for_databases(std::span<const fs::NodeId> files) {
    std::unordered_map<std::string_view, fs::NodeId> parts;  // by the name of the database
    for (const fs::NodeId file : files) {
      const std::string_view name = tree_.name(file);
      for (const std::string_view ending : kSqliteParts) {
        if (!name.ends_with(ending)) continue;
        parts.emplace(name.substr(0, name.size() - ending.size()), file);
      }
    }
    if (parts.empty()) return;
    for (const fs::NodeId file : files) {
      const auto part = parts.find(tree_.name(file));
      if (part == parts.end()) continue;
      found_.never = "contains a SQLite database in use (" + path_to(part->second) + ')';
      return;
    }
  }

  // From the top.
  [[nodiscard]] std::string path_to(fs::NodeId node) const {
    std::string path(tree_.name(node));
    for (node = tree_.node(tree_.parent(node)); node != top_;
         node = tree_.node(tree_.parent(node))) {
      path = std::string(tree_.name(node)) + '/' + path;
    }
    return path;
  }

  const fs::Tree& tree_;
  const fs::Children& children_;
  const std::uint32_t uid_;
  std::uint64_t device_ = 0;
  fs::NodeId top_ = fs::kNoNode;
  std::vector<fs::DirId> waiting_;
  Inside found_;
};

}  // namespace

Inside look_inside(const fs::Tree& tree, const fs::Children& children, fs::NodeId node,
                   fs::DirId directory, std::uint32_t uid) {
  return InsideSearch(tree, children, uid).run(node, directory);
}

}  // namespace fathom::act
