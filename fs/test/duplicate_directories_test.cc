// DuplicateDirectories: groups of equal directories, by hand and against an oracle.

#include "fathom/fs/duplicate_directories.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hand_made_tree.h"

namespace fathom::fs {
namespace {

constexpr std::uint64_t kBlocks = 8;  // of every non-empty file

// A tree whose files have numbered contents: files with the same number form a group.
class MadeWithContents {
 public:
  MadeWithContents() : top_(made_.root("/t")) {}

  [[nodiscard]] DirId top() const { return top_; }
  DirId directory(DirId parent, std::string_view name) { return made_.directory(parent, name); }

  // A new file; the result can be passed to clone() and link().
  std::size_t file(DirId parent, std::string_view name, unsigned content) {
    made_.file(parent, name, entry(++last_inode_, content));
    return note({last_inode_, content, last_inode_});
  }
  // A new file that shares its blocks with that one.
  void clone(DirId parent, std::string_view name, std::size_t of) {
    const Known known = known_.at(of);
    made_.file(parent, name, entry(++last_inode_, known.content));
    note({last_inode_, known.content, known.storage});
  }
  // Another name of that file.
  void link(DirId parent, std::string_view name, std::size_t of) {
    const Known known = known_.at(of);
    made_.file(parent, name, entry(known.inode, known.content));
  }
  HandMadeTree& made() { return made_; }

  DuplicateDirectories fold() {
    scan.tree = made_.finish();
    find_groups();
    return duplicate_directories(scan, same);
  }
  [[nodiscard]] std::vector<std::vector<std::string>> reported(
      const DuplicateDirectories& folded) const {
    std::vector<std::vector<std::string>> all;
    for (const DuplicateDirectoryGroup& group : folded.groups) {
      std::vector<std::string> paths;
      for (const NodeId node : group.directories) paths.push_back(scan.tree.path(node));
      all.push_back(std::move(paths));
    }
    return all;
  }

  Scan scan;
  Duplicates same;

 private:
  struct Known {
    std::uint64_t inode;
    unsigned content;
    std::uint64_t storage;
  };

  // Further names may follow, so every file has a high link count.
  static Entry entry(std::uint64_t inode, unsigned content) {
    return {.size = content == 0 ? 0 : 1000 + content,
            .blocks = content == 0 ? 0 : kBlocks,
            .inode = inode,
            .links = 9};
  }
  std::size_t note(const Known& file) {
    known_.push_back(file);
    by_inode_[file.inode] = file;
    return known_.size() - 1;
  }

  void find_groups() {
    std::map<unsigned, std::map<std::uint64_t, std::vector<NodeId>>> contents;
    scan.tree.for_each_node([&](NodeId node) {
      if (scan.tree.kind(node) != Kind::file || scan.tree.size(node) == 0) return;
      const Known& known = by_inode_.at(scan.tree.inode(node));
      contents[known.content][known.inode].push_back(node);
    });
    for (auto& [content, inodes] : contents) {
      if (inodes.size() < 2) continue;
      DuplicateGroup group;
      group.size = 1000 + content;
      std::map<std::uint64_t, std::uint32_t> storages;
      for (auto& [inode, names] : inodes) {
        const auto next = static_cast<std::uint32_t>(storages.size());
        const auto storage = storages.try_emplace(by_inode_.at(inode).storage, next).first->second;
        group.files.push_back({.node = names.front(),
                               .storage = storage,
                               .identity = {},
                               .links = {names.begin() + 1, names.end()}});
      }
      same.groups.push_back(std::move(group));
    }
  }

  HandMadeTree made_;
  const DirId top_;
  std::uint64_t last_inode_ = 0;
  std::vector<Known> known_;
  std::map<std::uint64_t, Known> by_inode_;
};

using ReportedGroups = std::vector<std::vector<std::string>>;

TEST(DuplicateDirectories, HaveTheSameNamesWithTheSameContents) {
  MadeWithContents made;
  for (const char* name : {"b", "a"}) {
    const DirId below = made.directory(made.top(), name);
    made.file(below, "one", 1);
    made.file(below, "two", 2);
  }
  const DirId renamed = made.directory(made.top(), "c");
  made.file(renamed, "one", 1);
  made.file(renamed, "three", 2);
  const DirId swapped = made.directory(made.top(), "d");
  made.file(swapped, "one", 2);
  made.file(swapped, "two", 1);
  const DuplicateDirectories folded = made.fold();
  EXPECT_EQ(made.reported(folded), ReportedGroups({{"/t/a", "/t/b"}}));
  EXPECT_EQ(folded.groups[0].files, 2U);
  EXPECT_EQ(folded.groups[0].bytes, 1001U + 1002U);
  EXPECT_EQ(folded.groups[0].wasted_bytes, 2 * kBlocks * kBlockBytes);
  EXPECT_EQ(folded.explained, std::vector<bool>({false, false}));
}

TEST(DuplicateDirectories, AreReportedOnceInsideEqualOnes) {
  MadeWithContents made;
  for (const char* name : {"a", "b"}) {
    const DirId outer = made.directory(made.directory(made.top(), name), "outer");
    const DirId inner = made.directory(outer, "inner");
    made.file(inner, "file", 1);
    made.file(outer, "file", 2);
  }
  const DuplicateDirectories folded = made.fold();
  EXPECT_EQ(made.reported(folded), ReportedGroups({{"/t/a", "/t/b"}}));
  EXPECT_EQ(folded.explained, std::vector<bool>({true, true}));
}

TEST(DuplicateDirectories, RepresentTheirCopiesWhenAThirdOneIsEqual) {
  MadeWithContents made;
  for (const char* name : {"a", "b"}) {
    const DirId outer = made.directory(made.top(), name);
    made.file(made.directory(outer, "inner"), "file", 1);
    made.file(outer, "file", 2);
  }
  made.file(made.directory(made.top(), "c"), "file", 1);
  EXPECT_EQ(made.reported(made.fold()), ReportedGroups({{"/t/a", "/t/b"}, {"/t/a/inner", "/t/c"}}));
}

TEST(DuplicateDirectories, MayContainEmptyFilesAndDirectoriesLinksPipesAndSockets) {
  MadeWithContents made;
  for (const char* name : {"a", "b"}) {
    const DirId below = made.directory(made.top(), name);
    made.file(below, "file", 1);
    made.file(below, "nothing", 0);
    made.directory(below, "hollow");
    made.made().symlink(below, "link", {.path = "target"});
    made.made().file(below, "pipe", {.mode = S_IFIFO | 0600});
    made.made().file(below, "socket", {.mode = S_IFSOCK | 0600});
  }
  EXPECT_EQ(made.reported(made.fold()), ReportedGroups({{"/t/a", "/t/b"}}));
}

// Each case makes the second of two otherwise equal directories different from the first.
class Unlike : public ::testing::TestWithParam<void (*)(MadeWithContents&, DirId, bool)> {};

TEST_P(Unlike, MakesNoDuplicate) {
  MadeWithContents made;
  for (const bool second : {false, true}) {
    const DirId outer = made.directory(made.top(), second ? "b" : "a");
    const DirId below = made.directory(outer, "below");
    made.file(outer, "file", 1);
    GetParam()(made, below, second);
  }
  EXPECT_EQ(made.reported(made.fold()), ReportedGroups());
}

INSTANTIATE_TEST_SUITE_P(
    DuplicateDirectories, Unlike,
    ::testing::Values(
        +[](MadeWithContents& made, DirId below, bool second) {
          if (second) made.made().mark_incomplete(below);
        },
        +[](MadeWithContents& made, DirId below, bool second) {
          if (second) made.scan.excluded.push_back({.in = below, .name = "left"});
        },
        +[](MadeWithContents& made, DirId below, bool second) {
          made.made().symlink(below, "link", {.path = second ? "here" : "there"});
        },
        +[](MadeWithContents& made, DirId below, bool) {
          made.made().file(below, "link", {.mode = S_IFLNK | 0777});  // it was not read
        },
        +[](MadeWithContents& made, DirId below, bool) {
          made.made().file(below, "device", {.mode = S_IFCHR | 0600});  // of unknown number
        },
        +[](MadeWithContents& made, DirId below, bool second) {
          if (second) {
            made.file(below, "kind", 0);
          } else {
            made.directory(below, "kind");
          }
        },
        +[](MadeWithContents& made, DirId below, bool second) {
          if (second) made.file(below, "more", 0);
        },
        +[](MadeWithContents& made, DirId below, bool second) {
          made.file(below, "file", second ? 2 : 3);  // each in no group
        }));

TEST(DuplicateDirectories, DoNotIncludeFurtherNamesOfTheSameInodes) {
  MadeWithContents made;
  const std::size_t one = made.file(made.directory(made.top(), "a"), "file", 1);
  made.link(made.directory(made.top(), "b"), "file", one);
  made.file(made.top(), "copy", 1);
  const DuplicateDirectories folded = made.fold();
  EXPECT_EQ(made.reported(folded), ReportedGroups());
  EXPECT_EQ(folded.explained, std::vector<bool>({false}));
}

TEST(DuplicateDirectories, CountSharedBytesOnce) {
  MadeWithContents made;
  const std::size_t one = made.file(made.directory(made.top(), "a"), "file", 1);
  made.link(made.directory(made.top(), "b"), "file", one);
  made.clone(made.directory(made.top(), "c"), "file", one);
  made.file(made.directory(made.top(), "d"), "file", 1);
  const DuplicateDirectories folded = made.fold();
  EXPECT_EQ(made.reported(folded), ReportedGroups({{"/t/a", "/t/b", "/t/c", "/t/d"}}));
  EXPECT_EQ(folded.groups[0].wasted_bytes, kBlocks * kBlockBytes);
}

TEST(DuplicateDirectories, DoNotExplainAFileWithANameElsewhere) {
  MadeWithContents made;
  made.file(made.directory(made.top(), "a"), "file", 1);
  const std::size_t copy = made.file(made.directory(made.top(), "b"), "file", 1);
  made.link(made.top(), "name of the copy", copy);
  const DuplicateDirectories folded = made.fold();
  EXPECT_EQ(made.reported(folded), ReportedGroups({{"/t/a", "/t/b"}}));
  EXPECT_EQ(folded.explained, std::vector<bool>({false}));
}

TEST(DuplicateDirectories, DoNotIncludePartlyListedOnes) {
  MadeWithContents made;
  for (const char* name : {"a", "b"}) made.file(made.directory(made.top(), name), "file", 1);
  made.scan.cancelled = true;
  EXPECT_EQ(made.reported(made.fold()), ReportedGroups());
}

TEST(DuplicateDirectories, MayBeArbitrarilyDeep) {
  MadeWithContents made;
  for (const char* name : {"a", "b"}) {
    DirId below = made.directory(made.top(), name);
    for (int depth = 0; depth < 20'000; ++depth) below = made.directory(below, "d");
    made.file(below, "file", 1);
  }
  EXPECT_EQ(made.reported(made.fold()), ReportedGroups({{"/t/a", "/t/b"}}));
}

// ---- Against an oracle: random trees with few names and contents, with copies of subtrees.

struct Part {
  enum class Kind { directory, file, link, clone, symlink, unread };
  Kind kind = Kind::directory;
  unsigned number = 0;  // a content, the file that a link or clone refers to, or a target
  std::map<std::string, Part> children;
};

class Gardener {
 public:
  explicit Gardener(unsigned seed) : random_(seed) {}

  Part tree(int levels) {
    Part part;
    for (unsigned i = below(4); i > 0; --i) part.children[name()] = child(levels);
    if (!part.children.empty() && below(2) == 0) {
      part.children[name()] = part.children.begin()->second;
    }
    return part;
  }

 private:
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  std::string name() { return std::string(1, static_cast<char>('a' + below(4))); }

  Part child(int levels) {
    if (levels > 0 && below(2) == 0) {
      Part part = tree(levels - 1);
      if (below(12) == 0) part.kind = Part::Kind::unread;
      return part;
    }
    switch (below(8)) {
      case 0:
        return {Part::Kind::symlink, below(2), {}};
      case 1:
        return {Part::Kind::link, below(5), {}};
      case 2:
        return {Part::Kind::clone, below(5), {}};
      default:
        return {Part::Kind::file, below(4), {}};
    }
  }

  std::mt19937 random_;
};

void plant(MadeWithContents& made, DirId in, const Part& part, std::vector<std::size_t>& files) {
  for (const auto& [name, child] : part.children) {
    const bool has_file = !files.empty();
    switch (child.kind) {
      case Part::Kind::directory:
      case Part::Kind::unread: {
        const DirId id = made.directory(in, name);
        if (child.kind == Part::Kind::unread) made.made().mark_incomplete(id);
        plant(made, id, child, files);
        break;
      }
      case Part::Kind::symlink:
        made.made().symlink(in, name, {.path = child.number == 0 ? "x" : "y"});
        break;
      case Part::Kind::link:
        if (has_file) made.link(in, name, files[child.number % files.size()]);
        break;
      case Part::Kind::clone:
        if (has_file) made.clone(in, name, files[child.number % files.size()]);
        break;
      case Part::Kind::file:
        files.push_back(made.file(in, name, child.number));
        break;
    }
  }
}

class Oracle {
 public:
  explicit Oracle(const MadeWithContents& made) : tree_(made.scan.tree) {
    for (std::size_t g = 0; g < made.same.groups.size(); ++g) {
      for (const DuplicateFile& file : made.same.groups[g].files) {
        add(file.node, g, file.storage);
        for (const NodeId link : file.links) add(link, g, file.storage);
      }
    }
    tree_.for_each_node([&](NodeId node) {
      if (tree_.parent(node) != kNoDir) children_[tree_.parent(node)].push_back(node);
    });
    tree_.for_each_directory([&](DirId id) { directory_[tree_.node(id)] = id; });
  }

  struct Group {
    std::vector<std::string> paths;
    std::uint64_t wasted;
  };

  // By the definition, without regard to time.
  std::vector<Group> groups() {
    std::map<std::string, std::map<std::string, NodeId>> equal;  // by content; by path
    tree_.for_each_directory([&](DirId id) {
      const std::string content = content_of(tree_.node(id));
      if (content.find('!') == std::string::npos) {
        equal[content][tree_.path(tree_.node(id))] = tree_.node(id);
      }
    });
    // The content string of a directory is longer than those inside it.
    std::vector<std::string> contents;
    for (const auto& [content, nodes] : equal) contents.push_back(content);
    std::stable_sort(contents.begin(), contents.end(),
                     [](const auto& a, const auto& b) { return a.size() > b.size(); });
    std::vector<Group> found;
    for (const std::string& content : contents) add_group(equal[content], found);
    return found;
  }

  [[nodiscard]] bool in_copy(const std::string& path) const {
    return std::any_of(copies_.begin(), copies_.end(), [&](const std::string& copy) {
      return path == copy || path.starts_with(copy + '/');
    });
  }

 private:
  void add(NodeId node, std::size_t group, std::uint32_t storage) {
    known_[node] = {group, storage};
  }

  std::string content_of(NodeId node) {
    if (!directory_.contains(node)) {
      if (tree_.kind(node) == Kind::symlink) {
        return "@" + std::string(tree_.link_target(node)->path);
      }
      if (tree_.size(node) == 0) return "empty";
      if (!known_.contains(node)) return "inode " + std::to_string(tree_.inode(node));
      return "group " + std::to_string(known_[node].first);
    }
    if ((tree_.flags(node) & kIncomplete) != 0) return "!";
    std::map<std::string, std::string> parts;
    for (const NodeId child : children_[directory_[node]]) {
      parts[std::string(tree_.name(child))] = content_of(child);
    }
    std::string text = "{";
    for (const auto& [name, content] : parts) text += name + "=" + content + ";";
    return text + "}";
  }

  using Storages = std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t>;

  void hold(NodeId node, Storages& storages, std::set<std::uint64_t>& inodes) {
    if (directory_.contains(node)) {
      for (const NodeId child : children_[directory_[node]]) hold(child, storages, inodes);
    } else if (tree_.kind(node) == Kind::file && tree_.size(node) > 0) {
      const bool known = known_.contains(node);
      const std::pair<std::uint64_t, std::uint64_t> key =
          known ? std::pair<std::uint64_t, std::uint64_t>(known_[node])
                : std::pair(~std::uint64_t{0}, tree_.inode(node));
      storages[key] = tree_.blocks(node) * kBlockBytes;
      inodes.insert(tree_.inode(node));
    }
  }

  static std::uint64_t sum(const Storages& storages) {
    std::uint64_t bytes = 0;
    for (const auto& [key, of_one] : storages) bytes += of_one;
    return bytes;
  }

  void add_group(const std::map<std::string, NodeId>& equal, std::vector<Group>& found) {
    Group group;
    Storages all;
    std::set<std::uint64_t> inodes;
    std::size_t inodes_of_first = 0;
    std::uint64_t most = 0;
    for (const auto& [path, node] : equal) {
      if (in_copy(path)) continue;
      Storages own;
      std::set<std::uint64_t> own_inodes;
      hold(node, own, own_inodes);
      if (group.paths.empty()) inodes_of_first = own_inodes.size();
      most = std::max(most, sum(own));
      all.insert(own.begin(), own.end());
      inodes.insert(own_inodes.begin(), own_inodes.end());
      group.paths.push_back(path);
    }
    if (group.paths.size() < 2) return;
    copies_.insert(group.paths.begin() + 1, group.paths.end());
    group.wasted = sum(all) - most;
    if (inodes.size() > inodes_of_first) found.push_back(std::move(group));
  }

  const Tree& tree_;
  std::map<NodeId, std::pair<std::size_t, std::uint32_t>> known_;
  std::map<DirId, std::vector<NodeId>> children_;
  std::map<NodeId, DirId> directory_;
  std::set<std::string> copies_;
};

TEST(DuplicateDirectories, EqualThoseOfAnOracle) {
  std::size_t groups = 0;
  std::size_t explained = 0;
  for (unsigned seed = 0; seed < 10'000; ++seed) {
    MadeWithContents made;
    std::vector<std::size_t> files;
    plant(made, made.top(), Gardener(seed).tree(4), files);
    const DuplicateDirectories folded = made.fold();
    if (made.same.groups.empty()) continue;
    Oracle oracle(made);
    std::vector<Oracle::Group> wanted = oracle.groups();
    std::stable_sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) {
      return a.wasted != b.wasted ? a.wasted > b.wasted : a.paths.front() < b.paths.front();
    });
    ASSERT_EQ(folded.groups.size(), wanted.size()) << "seed " << seed;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_EQ(made.reported(folded)[i], wanted[i].paths) << "seed " << seed;
      EXPECT_EQ(folded.groups[i].wasted_bytes, wanted[i].wasted) << "seed " << seed;
    }
    for (std::size_t i = 0; i < made.same.groups.size(); ++i) {
      std::size_t remaining = 0;
      for (const DuplicateFile& file : made.same.groups[i].files) {
        const auto outside = [&](NodeId node) {
          const std::string path = made.scan.tree.path(node);
          return !oracle.in_copy(path.substr(0, path.rfind('/')));
        };
        remaining +=
            outside(file.node) || std::any_of(file.links.begin(), file.links.end(), outside) ? 1
                                                                                             : 0;
      }
      EXPECT_EQ(folded.explained[i], remaining < 2) << "seed " << seed;
      explained += folded.explained[i] ? 1 : 0;
    }
    groups += wanted.size();
  }
  EXPECT_GT(groups, 500U);  // otherwise the random trees prove too little
  EXPECT_GT(explained, 100U);
}

}  // namespace
}  // namespace fathom::fs
