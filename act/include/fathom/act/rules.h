// Rules: what may be cleaned up, as data.
//
// A rule says which entries it is about, what must be true of them (the evidence), and what makes
// them less safe (the demotions). The rules of Fathom are in act/rules/*.toml, one file per
// ecosystem, and are part of the program; docs/CLEAN.md describes the format.
//
//   RuleSet rules = RuleSet::built_in();
//   rules.add("[[rule]] ...", "own.toml");
//   rules.named("cargo-target")->cls;     // RuleClass::safe

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/fs/tree.h"

namespace fathom::act {

// The safest first.
enum class RuleClass : std::uint8_t {
  safe,      // a command that the rule names rebuilds it
  probably,  // nobody is likely to miss it
  yours,     // it may be somebody's work or choice: listed, never preselected
  tool,      // only the program that owns it removes it; its command is printed, never run
};

[[nodiscard]] std::string_view to_string(RuleClass cls);
[[nodiscard]] std::optional<RuleClass> rule_class_named(std::string_view name);

// Something that must be true of an entry. Paths are relative to the entry; "../" leads to its
// neighbours.
struct Condition {
  enum class Check : std::uint8_t {
    file,            // one of `names` is a regular file; with `text`, it begins with or contains it
    directory,       // one of `names` is a directory
    glob,            // a regular file has a name like one of `names`
    only,            // everything directly in it is a regular file with a name like one of `names`
    somewhere,       // something in it, at any depth, has one of these names
    source_outside,  // the line of `text` in a file names an existing directory outside of it
    compiled,        // the source of each compiled Python module is beside it
    core_dump,       // an ELF file of type core
    live_log,        // the log from which it was rotated is beside it
    git_ignored,     // git ignores it
    git_untracked,   // git tracks nothing in it
    not_running,     // no process has one of `names`
    not_kernel,      // its name is not the release of the running kernel
    trashed,         // it was put into the trash at least `seconds` ago
    orphan_info,     // a record of the trash without what it describes
    unused,          // nothing in it was read or changed for `seconds`
    unlocked,        // no process holds a lock on it, and it has no sticky bit
    empty,           // a directory without entries
    dangling,        // a symbolic link to nothing
  };

  Check check = Check::file;
  std::vector<std::string> names;
  std::string text;
  bool at_start = false;     // of file: the text must be at its beginning
  std::int64_t seconds = 0;  // an age
  std::string age;           // the same, as the rule writes it

  // "../Cargo.toml is a regular file".
  [[nodiscard]] std::string sentence() const;
};

struct Demotion {
  RuleClass to = RuleClass::yours;
  bool unless = false;  // it applies unless one of the conditions holds, rather than if one does
  std::vector<Condition> conditions;
  std::string why;
};

struct Rule {
  std::string id;     // "cargo-target"
  std::string title;  // "build directories of Cargo"
  RuleClass cls = RuleClass::yours;
  std::string file;  // where it is defined

  // ---- Which entries it is about: those with one of the names, those that contain the marker, and
  // those at one of the paths.
  std::optional<fs::Kind> kind = fs::Kind::directory;  // nothing: any
  std::vector<std::string> names;                      // globs
  std::vector<std::string> except;                     // globs of names that it is not about
  std::string marker;                                  // "CMakeCache.txt"
  std::vector<std::string> paths;      // globs of absolute paths: "$XDG_CACHE_HOME/pip"
  std::vector<std::string> not_below;  // the same: not about entries below these

  // ---- Evidence
  std::int64_t min_age = 0;  // in seconds, of its newest file
  std::uint64_t min_size = 0;
  bool own = false;  // belongs to the user
  std::vector<Condition> evidence;
  std::vector<Demotion> demotions;

  bool generic = false;  // yields to every other rule that is about the same entry
  std::string rebuild;   // of class safe: what makes it again
  std::string command;   // of class tool: what removes it

  // Each thing that it requires, as a sentence, in the order in which it is checked.
  [[nodiscard]] std::vector<std::string> sentences() const;
};

class RuleSet {
 public:
  RuleSet();
  ~RuleSet();
  RuleSet(RuleSet&&) noexcept;
  RuleSet& operator=(RuleSet&&) noexcept;

  [[nodiscard]] static RuleSet built_in();

  // Adds the rules of a text in TOML, or of the files *.toml in a directory, in the order of their
  // names. Throws base::Error, "own.toml:3: ...", if a rule is not valid, also because its
  // id exists, or because it is safe without evidence.
  void add(std::string_view text, const std::string& name);
  void add_directory(const std::string& path);

  [[nodiscard]] std::span<const std::unique_ptr<const Rule>> rules() const { return rules_; }
  [[nodiscard]] const Rule* named(std::string_view id) const;  // null: none

 private:
  std::vector<std::unique_ptr<const Rule>> rules_;
};

}  // namespace fathom::act
