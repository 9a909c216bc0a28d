// RuleIndex: which rules are about an entry, by its name, its path, or what it contains.
//
// Most entries are not in any rule's interest, so their names are looked up in a table, and the
// path is built only if a pattern for paths asks for it.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fathom/act/rules.h"
#include "fathom/act/surroundings.h"
#include "fathom/fs/ignore.h"

namespace fathom::act {

class RuleIndex {
 public:
  RuleIndex(const RuleSet& rules, const Surroundings& around);

  struct Asked {
    std::string_view name;
    std::string_view parent;  // the name of the directory in which it is
    fs::Kind kind;
    std::function<const std::string&()> path;  // absolute
  };

  // Adds the rules that are about the entry, not considering markers.
  void add_rules(const Asked& asked, std::vector<const Rule*>& found) const;

  struct Marker {
    const Rule* rule = nullptr;
    std::vector<std::string> names;  // from the entry down: {"meson-private", "coredata.dat"}
  };
  // The rules whose marker's last name is this.
  [[nodiscard]] const std::vector<Marker>* markers(std::string_view name) const;

  // Whether the rule is not about an entry of this name, or at this absolute path.
  [[nodiscard]] bool excepts(const Rule& rule, std::string_view name,
                             const std::string& path) const;

  // A rule of class yours or tool that is about a directory above the path; null: none.
  [[nodiscard]] const Rule* rule_above(const std::string& path) const;

 private:
  struct Pattern {
    const Rule* rule = nullptr;
    std::optional<fs::Glob> name = {};   // nothing: the table has compared it
    std::string parent = {};             // that the directory must have; empty: any
    std::optional<fs::Glob> whole = {};  // of the path; nothing: any path
  };
  struct Except {
    std::vector<fs::Glob> names;
    std::vector<fs::Glob> below;
  };

  void add_names(const Rule& rule);
  void add_paths(const Rule& rule);
  void add_marker(const Rule& rule);
  void add_pattern(const std::string& name, Pattern pattern);
  [[nodiscard]] std::optional<std::string> expanded(const std::string& pattern) const;
  [[nodiscard]] bool accepts(const Pattern& pattern, const Asked& asked) const;

  const Surroundings& around_;
  std::unordered_map<std::string, std::vector<Pattern>> by_name_;
  std::vector<Pattern> by_glob_;
  std::unordered_map<std::string, std::vector<Marker>> markers_;  // by their last name
  std::unordered_map<const Rule*, Except> excepts_;
  std::vector<Pattern> guarding_;  // the paths of rules of class yours or tool
};

}  // namespace fathom::act
