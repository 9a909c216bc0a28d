// GitTrees: finds work trees upwards from an entry, and combines the files .gitignore on the way
// down to it.

#include "rules/git_trees.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "os/entry_facts.h"
#include "os/safe_open.h"
#include "os/small_file.h"
#include "rules/git_index.h"

namespace fathom::act {

struct GitTrees::WorkTree {
  std::string top;                                  // absolute; "" for a work tree in "/"
  std::optional<std::vector<std::string>> tracked;  // nothing: unknown
  std::string excludes;                             // of .git/info/exclude
};

namespace {

constexpr std::size_t kLargestIndex = std::size_t{256} << 20;
constexpr std::size_t kLargestIgnore = std::size_t{1} << 20;
constexpr std::size_t kLongestPath = 4000;

std::string parent_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

std::optional<std::string> text_at(int root, const std::string& path, std::size_t most) {
  Location location;
  if (find_location(root, std::string_view(path).substr(1), location) < 0) return std::nullopt;
  return read_small_file(location, most);
}

bool exists_at(int root, const std::string& path) {
  return has_name(root, path.substr(1).c_str());
}

// The directory of git's files: .git itself, or where the file .git points to.
std::string git_folder_of(int root, const std::string& top) {
  constexpr std::string_view kPointer = "gitdir: ";
  std::string own = top + "/.git";
  std::optional<std::string> text = text_at(root, own, 8192);
  if (!text || !text->starts_with(kPointer)) return own;
  while (text->ends_with('\n')) text->pop_back();
  const std::string target = text->substr(kPointer.size());
  return target.starts_with('/') ? target : top + '/' + target;
}

// Without "." and ".." that it need not have.
std::string plain(const std::string& path) {
  std::string result;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at + 1), path.size());
    const std::string name = path.substr(at, end - at);
    if (name == "/..") {
      result = parent_of(result);
    } else if (name != "/" && name != "/.") {
      result += name;
    }
    at = end;
  }
  return result;
}

// A pattern for a name, which may have special characters.
std::string quoted(const std::string& path) {
  std::string text;
  for (const char c : path) {
    if (std::string_view("*?[]\\!# ").find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text;
}

// A line of .gitignore in a directory, as a line for the top of the work tree.
std::string line_from_top(const std::string& folder, std::string_view line) {
  if (folder.empty()) return std::string(line);
  std::string text;
  if (line.starts_with('!')) {
    text = "!";
    line.remove_prefix(1);
  }
  const std::size_t slash = line.find('/');
  const bool anchored = slash != std::string_view::npos && slash + 1 < line.size();
  if (line.starts_with('/')) line.remove_prefix(1);
  return text + '/' + quoted(folder) + (anchored ? "/" : "/**/") + std::string(line);
}

// Adds the lines that are patterns; those with a '$' are of what is precious.
void add_lines(std::string_view text, const std::string& folder, fs::IgnoreRules& ignored,
               fs::IgnoreRules& precious) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with('$')) {
      precious.add_line(line_from_top(folder, line.substr(1)));
    } else {
      ignored.add_line(line_from_top(folder, line));
    }
  }
}

// Whether git tracks the path, something below it, or, in a sparse index, a directory above it.
bool tracks(const std::vector<std::string>& tracked, const std::string& path) {
  const std::string below = path + '/';
  const auto first = std::lower_bound(tracked.begin(), tracked.end(), below);
  if (first != tracked.end() && first->starts_with(below)) return true;
  if (std::binary_search(tracked.begin(), tracked.end(), path)) return true;
  for (std::size_t end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1)) {
    if (std::binary_search(tracked.begin(), tracked.end(), path.substr(0, end + 1))) return true;
  }
  return false;
}

}  // namespace

GitTrees::GitTrees() {
  static_cast<void>(open_root("/", root_));
}
GitTrees::~GitTrees() = default;

GitTrees::WorkTree GitTrees::read_tree(const std::string& top) const {
  const int root = root_.get();
  WorkTree tree;
  tree.top = top;
  const std::string git = plain(git_folder_of(root, top));
  const std::string config = text_at(root, git + "/config", kLargestIgnore).value_or("");
  const bool sha256 = config.find("sha256") != std::string::npos;
  if (exists_at(root, git + "/index")) {
    const auto index = text_at(root, git + "/index", kLargestIndex);
    if (index) tree.tracked = parse_git_index(*index, sha256);
  } else if (exists_at(root, git + "/HEAD")) {
    tree.tracked = std::vector<std::string>();  // nothing was added yet
  }
  tree.excludes = text_at(root, git + "/info/exclude", kLargestIgnore).value_or("");
  return tree;
}

// Looks upwards until a directory is known, or has a work tree.
std::shared_ptr<const GitTrees::WorkTree> GitTrees::tree_of(const std::string& folder) {
  std::vector<std::string> passed;
  std::shared_ptr<const WorkTree> found;
  for (std::string at = folder;; at = parent_of(at)) {
    if (const auto known = trees_.find(at); known != trees_.end()) {
      found = known->second;
      break;
    }
    passed.push_back(at);
    // Whether such a path has a .git cannot be asked in one call.
    const bool too_long = at.size() > kLongestPath;
    if (too_long) found = std::make_shared<const WorkTree>(WorkTree{at, std::nullopt, {}});
    if (!too_long && exists_at(root_.get(), at + "/.git")) {
      found = std::make_shared<const WorkTree>(read_tree(at));
    }
    if (found || at.empty()) break;
  }
  for (const std::string& at : passed) trees_[at] = found;
  return found;
}

bool GitTrees::matches(const fs::IgnoreRules& rules, const std::string& path, bool directory) {
  if (rules.empty()) return false;
  for (std::size_t end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1)) {
    if (rules.ignores(path.substr(0, end), true)) return true;
  }
  return rules.ignores(path, directory);
}

GitTrees::Answer GitTrees::about(const std::string& path, bool directory) {
  Answer answer;
  const std::shared_ptr<const WorkTree> tree = tree_of(parent_of(path));
  if (!tree) return answer;
  answer.in_tree = true;
  answer.path = path.substr(tree->top.size() + 1);
  answer.unreadable = !tree->tracked;
  answer.tracks = tree->tracked && tracks(*tree->tracked, answer.path);
  fs::IgnoreRules ignored;
  add_lines(tree->excludes, "", ignored, answer.precious);
  for (std::size_t end = 0; end != std::string::npos; end = answer.path.find('/', end + 1)) {
    const std::string folder = answer.path.substr(0, end);
    const std::string file = tree->top + (folder.empty() ? "" : "/" + folder) + "/.gitignore";
    const auto text = text_at(root_.get(), file, kLargestIgnore);
    if (text) add_lines(*text, folder, ignored, answer.precious);
  }
  answer.ignored = matches(ignored, answer.path, directory);
  return answer;
}

}  // namespace fathom::act
