// Shared by the tests of plans for files and directories.

#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "fathom/act/apply.h"
#include "fathom/act/plan.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::act {

// Every path below a directory, with the content of files, the target of links, and "/" for
// directories.
inline std::map<std::string, std::string> listing_of(const std::string& folder) {
  std::map<std::string, std::string> listing;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string().substr(folder.size() + 1);
    if (entry.is_symlink()) {
      listing[path] = "-> " + std::filesystem::read_symlink(entry.path()).string();
    } else if (entry.is_directory()) {
      listing[path] = "/";
    } else {
      std::ostringstream text;
      text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      listing[path] = text.str();
    }
  }
  return listing;
}

// A directory `data`, and beside it the journal and the quarantine of a run.
class ItemActs : public ::testing::Test {
 protected:
  [[nodiscard]] std::string data() const { return tree_.path("data"); }
  [[nodiscard]] std::string at(const std::string& path) const { return data() + '/' + path; }
  void write(const std::string& path, const std::string& content) {
    tree_.write("data/" + path, content);
  }
  // Lets every user change the directory and what is beside it.
  void open_to_all() const {
    std::filesystem::create_directory(data());
    for (const std::string& folder : {tree_.path(), data()}) {
      std::filesystem::permissions(folder, std::filesystem::perms::all);
    }
  }

  struct Wanted {
    const char* path;
    Action action;
  };

  [[nodiscard]] Draft draft(const std::vector<Wanted>& chosen) const {
    std::vector<Chosen> choices;
    for (const Wanted& one : chosen) choices.push_back({at(one.path), one.action, {}});
    return draft_plan(std::move(choices), {.roots = {data()}});
  }

  [[nodiscard]] RunOptions options() const {
    RunOptions options;
    options.dry_run = false;
    options.journal = tree_.path("journal");
    options.quarantine = tree_.path("away");
    return options;
  }
  [[nodiscard]] RunOptions dry_options() const {
    RunOptions dry = options();
    dry.dry_run = true;
    return dry;
  }

  struct Result {
    std::string path;
    Outcome outcome;
    std::string why;
  };

  std::vector<Result> apply(const Plan& plan, RunOptions options) {
    std::vector<Result> results;
    options.on_item = [&](const ItemResult& item) {
      results.push_back({item.item->path, item.outcome, item.why});
    };
    applied_ = apply_plan(plan, options);
    return results;
  }
  std::vector<Result> apply(const Plan& plan) { return apply(plan, options()); }

  Result apply_one(const Plan& plan) { return apply(plan).at(0); }

  std::vector<UndoneItem> undo() {
    std::vector<UndoneItem> items;
    RunUndoOptions options{.dry_run = false, .journal = tree_.path("journal")};
    options.on_item = [&](const UndoneItem& item) { items.push_back(item); };
    undone_ = undo_run(options);
    return items;
  }

  testing::TempTree tree_;
  PlanApplied applied_;
  RunUndone undone_;
};

}  // namespace fathom::act
