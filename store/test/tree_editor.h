// TreeEditor: edits a tree at random, as programs and users do. The same seed gives the same edits.
//
//   TreeEditor editor(tree, seed);
//   editor.edit(40);
//   for (const std::string& line : editor.script()) ...  // "rename a/b -> f"

#pragma once

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/base/fd.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::store {

class TreeEditor {
 public:
  TreeEditor(const testing::TempTree& tree, std::uint64_t seed) : tree_(tree), random_(seed) {}

  // Edits that are not possible, such as to remove something from an empty tree, do nothing.
  void edit(std::size_t edits) {
    for (std::size_t i = 0; i < edits; ++i) (this->*kEdits.at(below(kEdits.size())))();
  }

  // What was attempted, an edit per line, with paths in the tree.
  [[nodiscard]] const std::vector<std::string>& script() const { return script_; }

 private:
  using Edit = void (TreeEditor::*)();
  using Path = std::filesystem::path;

  // ---- Choices

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

  std::string any_name() {
    constexpr std::array<std::string_view, 8> kNames = {"a", "b", "c.log",  "d.LOG",
                                                        "f", "g", "e\xff.", "h.txt"};
    return std::string(kNames.at(below(kNames.size())));
  }

  std::vector<Path> all() {
    std::vector<Path> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(tree_.path())) {
      paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());  // the order of the filesystem is not that of the seed
    return paths;
  }

  // Of those that the predicate accepts; the tree itself if there is none, which no edit harms.
  template <class Predicate>
  Path any(const Predicate& accepts) {
    std::vector<Path> paths = all();
    std::erase_if(paths, [&](const Path& path) { return !accepts(path); });
    return paths.empty() ? Path(tree_.path()) : paths[below(paths.size())];
  }
  static bool is_directory(const Path& path) {
    return std::filesystem::symlink_status(path).type() == std::filesystem::file_type::directory;
  }
  Path any_entry() {
    return any([](const Path&) { return true; });
  }
  Path any_file() {
    return any([](const Path& path) { return !is_directory(path); });
  }
  Path any_directory() { return any(is_directory); }

  // In an existing directory; there may be something already.
  Path any_place() { return (below(3) == 0 ? Path(tree_.path()) : any_directory()) / any_name(); }

  // ---- Edits

  void tell(std::string_view what, const Path& path, const std::string& more = "") {
    script_.push_back(std::string(what) + ' ' + in_tree(path) + more);
  }
  void tell(std::string_view what, const Path& path, const Path& to) {
    tell(what, path, " -> " + in_tree(to));
  }
  [[nodiscard]] std::string in_tree(const Path& path) const {
    return path.lexically_relative(tree_.path()).string();
  }

  void put(const Path& path, int flags, std::size_t bytes) {
    tell("write", path, ' ' + std::to_string(bytes));
    const base::Fd file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | flags, 0644));
    const std::string content(bytes, 'x');
    if (file) static_cast<void>(::write(file.get(), content.data(), content.size()) == 0);
  }
  void remove_all(const Path& path) {
    tell("rm -r", path);
    if (path != Path(tree_.path())) std::filesystem::remove_all(path, ignored_);
  }
  void rename_to(const Path& from, const Path& to) {
    tell("rename", from, to);
    std::filesystem::rename(from, to, ignored_);
  }
  void make_directory(const Path& path) {
    tell("mkdir", path);
    std::filesystem::create_directories(path, ignored_);
  }

  void make_directories() { make_directory(any_place() / any_name()); }
  void create() { put(any_place(), 0, below(20'000)); }
  void append() { put(any_file(), O_APPEND, below(20'000)); }
  void resize() {
    const Path path = any_file();
    const std::size_t bytes = below(30'000);
    tell("truncate", path, ' ' + std::to_string(bytes));
    if (std::filesystem::is_regular_file(path)) std::filesystem::resize_file(path, bytes, ignored_);
  }
  void make_hole() {
    const Path path = any_place();
    put(path, 0, 5000);
    const std::size_t bytes = 100'000 + below(1'000'000);
    tell("sparse", path, ' ' + std::to_string(bytes));
    if (std::filesystem::is_regular_file(path)) std::filesystem::resize_file(path, bytes, ignored_);
  }
  void move_entry() { rename_to(any_entry(), any_place()); }
  void move_directory() { rename_to(any_directory(), any_place()); }
  void exchange() {
    const Path one = any_entry();
    const Path other = any_entry();
    tell("exchange", one, other);
    static_cast<void>(
        ::syscall(SYS_renameat2, AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE));
  }
  void add_link() {
    const Path from = any_file();
    const Path to = any_place();
    tell("link", from, to);
    static_cast<void>(::link(from.c_str(), to.c_str()));
  }
  void add_symlink() {
    const Path path = any_place();
    tell("symlink", path);
    static_cast<void>(::symlink("nowhere", path.c_str()));
  }
  void remove_file() {
    const Path path = any_file();
    tell("rm", path);
    static_cast<void>(::unlink(path.c_str()));
  }
  // The name to which the bytes of the inode are charged.
  void remove_first_name() {
    const Path path = any([](const Path& entry) {
      return std::filesystem::is_regular_file(entry) && std::filesystem::hard_link_count(entry) > 1;
    });
    if (is_directory(path)) return;
    const std::vector<Path> paths = all();
    const auto first = std::find_if(paths.begin(), paths.end(), [&](const Path& entry) {
      return std::filesystem::equivalent(entry, path, ignored_);
    });
    tell("rm first", *first);
    static_cast<void>(::unlink(first->c_str()));
  }
  void change_mode() {
    const Path path = any_entry();
    const mode_t mode = below(2) == 0 ? 0755 : 0700;
    tell("chmod", path);
    if (!std::filesystem::is_symlink(path)) static_cast<void>(::chmod(path.c_str(), mode));
  }
  // Only root may.
  void change_owner() {
    const Path path = any_entry();
    const auto user = static_cast<uid_t>(below(2));
    const auto group = static_cast<gid_t>(below(3));
    tell("chown", path, ' ' + std::to_string(user) + ':' + std::to_string(group));
    static_cast<void>(::lchown(path.c_str(), user, group) == 0);
  }
  // As editors save a file.
  void save() {
    const Path path = any_file();
    if (is_directory(path)) return;
    const Path draft = path.string() + '~';
    put(draft, O_TRUNC, below(20'000));
    rename_to(draft, path);
  }
  void put_directory_for_file() {
    const Path path = any_file();
    remove_all(path);
    make_directory(path / any_name());
    put(path / any_name(), 0, below(20'000));
  }
  void put_file_for_directory() {
    const Path path = any_directory();
    remove_all(path);
    put(path, 0, below(20'000));
  }
  // As builds do: some of the names are the same again.
  void make_directory_anew() {
    const Path path = any_directory();
    if (path == Path(tree_.path())) return;
    std::vector<Path> files;
    for (const Path& entry : all()) {
      const std::string above = path.string() + '/';
      if (entry.string().starts_with(above) && !is_directory(entry)) files.push_back(entry);
    }
    remove_all(path);
    make_directory(path);
    for (const Path& file : files) {
      if (below(4) == 0) continue;
      make_directory(file.parent_path());
      put(file, 0, below(20'000));
    }
  }
  void remove_entry() { remove_all(any_entry()); }

  // What is there twice is done twice as often.
  static constexpr std::array<Edit, 26> kEdits = {
      &TreeEditor::make_directories,
      &TreeEditor::make_directories,
      &TreeEditor::create,
      &TreeEditor::create,
      &TreeEditor::create,
      &TreeEditor::create,
      &TreeEditor::append,
      &TreeEditor::resize,
      &TreeEditor::make_hole,
      &TreeEditor::move_entry,
      &TreeEditor::move_entry,
      &TreeEditor::move_directory,
      &TreeEditor::move_directory,
      &TreeEditor::exchange,
      &TreeEditor::add_link,
      &TreeEditor::add_link,
      &TreeEditor::add_symlink,
      &TreeEditor::remove_file,
      &TreeEditor::remove_first_name,
      &TreeEditor::change_mode,
      &TreeEditor::change_owner,
      &TreeEditor::save,
      &TreeEditor::put_directory_for_file,
      &TreeEditor::put_file_for_directory,
      &TreeEditor::make_directory_anew,
      &TreeEditor::remove_entry,
  };

  const testing::TempTree& tree_;
  std::mt19937_64 random_;
  std::vector<std::string> script_;
  std::error_code ignored_;
};

}  // namespace fathom::store
