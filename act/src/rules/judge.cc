// Judge: the order of the checks is that of their costs, and of the sentences of --why.

#include "rules/judge.h"

#include <algorithm>

#include "os/small_file.h"

namespace fathom::act {

namespace {

constexpr std::int64_t kDay = 24LL * 60 * 60;
constexpr std::int64_t kYoung = 7 * kDay;  // what is changed since then is not safe

std::string age_text(std::int64_t seconds) {
  const std::int64_t days = seconds / kDay;
  if (days < 1) return "less than a day";
  return std::to_string(days) + (days == 1 ? " day" : " days");
}

void lower_class(RuleVerdict& verdict, RuleClass to, const std::string& why) {
  if (verdict.cls >= to) return;
  verdict.cls = to;
  verdict.demotions.push_back(why);
}

// Whether a file .gitignore marks something as precious.
bool marks_precious(std::string_view text) {
  return text.starts_with('$') || text.find("\n$") != std::string_view::npos;
}

}  // namespace

Judge::Judge(const fs::Scan& scan, const RuleIndex& index, const ScannedPaths& paths,
             const CandidateOptions& options)
    : tree_(scan.tree),
      index_(index),
      paths_(paths),
      options_(options),
      totals_(tree_),
      exclusive_(tree_),
      newest_(tree_, fs::latest_usable(options.now)),
      children_(tree_),
      never_(options.around),
      processes_(read_processes()) {
  find_open_entries();
}

// Marks what processes have open, and every directory above it.
void Judge::find_open_entries() {
  tree_.for_each_node([this](fs::NodeId node) {
    const auto open = processes_.open.find({tree_.device(node), tree_.inode(node)});
    if (open == processes_.open.end()) return;
    open_files_.emplace(node, open->second);
    for (fs::DirId above = tree_.parent(node); above != fs::kNoDir;
         above = tree_.parent_of(above)) {
      if (!open_below_.emplace(above, open->second).second) break;
    }
  });
}

void Judge::look_at(const JudgedEntry& entry) {
  if (last_ == entry.node) return;
  last_ = entry.node;
  path_ = paths_.path(entry.node);
  inside_ = look_inside(tree_, children_, entry.node, entry.directory, options_.around.uid);
}

std::int64_t Judge::newest_of(const JudgedEntry& entry) const {
  if (entry.directory != fs::kNoDir) return newest_.below(entry.directory);
  const std::int64_t time = tree_.mtime(entry.node);
  return time > fs::latest_usable(options_.now) ? fs::kUnknownTime : time;
}

std::uint64_t Judge::disk_bytes_of(const JudgedEntry& entry) const {
  if (entry.directory != fs::kNoDir) return totals_.below(entry.directory).disk_bytes;
  return tree_.entry(entry.node).disk_bytes();
}

// What the rule asks beside its evidence, as in Rule::sentences().
void Judge::check_basics(const JudgedEntry& entry, const Rule& rule,
                         std::vector<CheckedCondition>& checked) const {
  std::vector<bool> held;
  if (rule.min_size != 0) held.push_back(disk_bytes_of(entry) >= rule.min_size);
  if (rule.min_age != 0) {
    const std::int64_t newest = newest_of(entry);
    held.push_back(newest != fs::kUnknownTime && newest <= options_.now - rule.min_age);
  }
  if (rule.own) held.push_back(tree_.uid(entry.node) == options_.around.uid);
  if (held.empty()) return;
  const std::vector<std::string> sentences = rule.sentences();
  for (std::size_t i = 0; i < held.size(); ++i) checked.push_back({sentences[i], held[i]});
}

Judgement Judge::judge(const JudgedEntry& entry, const Rule& rule, bool all) {
  Judgement result;
  RuleVerdict& verdict = result.verdict;
  verdict.rule = &rule;
  verdict.cls = rule.cls;
  const auto failed = [&verdict] {
    return std::any_of(verdict.conditions.begin(), verdict.conditions.end(),
                       [](const CheckedCondition& one) { return !one.held; });
  };
  check_basics(entry, rule, verdict.conditions);
  if (failed() && !all) return result;
  look_at(entry);
  const EvidenceSubject subject{paths_.root_of(entry.node),
                                paths_.below_root(entry.node),
                                path_,
                                tree_.kind(entry.node),
                                inside_.names,
                                options_.around,
                                options_.now};
  Evidence evidence(subject, git_);
  for (const Condition& condition : rule.evidence) {
    const bool held = evidence.holds(condition, result.evidence);
    if (!held && !all) return result;
    verdict.conditions.push_back({condition.sentence(), held});
  }
  if (failed()) return result;
  verdict.chosen = true;
  verdict.skipped = why_skipped(entry, rule);
  demote(entry, rule, evidence, verdict);
  return result;
}

// What has a command is left to it, so nothing is checked for us.
std::string Judge::why_skipped(const JudgedEntry& entry, const Rule& rule) const {
  if (!rule.command.empty()) return {};
  if (const auto never = never_.why(path_, paths_.root_of(entry.node).device)) return *never;
  if (inside_.never) return *inside_.never;
  if (inside_.other_device) return "contains another filesystem";
  if (inside_.incomplete) return "could not be read completely, or contains what was excluded";
  const OpenIn* open = nullptr;
  const auto itself = open_files_.find(entry.node);
  if (itself != open_files_.end()) open = &itself->second;
  if (entry.directory != fs::kNoDir) {
    const auto below = open_below_.find(entry.directory);
    if (below != open_below_.end()) open = &below->second;
  }
  if (open == nullptr) return {};
  return "is open in process " + std::to_string(open->pid) + " (" + open->command + ')';
}

void Judge::demote(const JudgedEntry& entry, const Rule& rule, Evidence& evidence,
                   RuleVerdict& verdict) const {
  std::vector<std::string> proof;
  for (const Demotion& demotion : rule.demotions) {
    const bool held =
        std::any_of(demotion.conditions.begin(), demotion.conditions.end(),
                    [&](const Condition& condition) { return evidence.holds(condition, proof); });
    if (held != demotion.unless) lower_class(verdict, demotion.to, demotion.why);
  }
  if (rule.cls >= RuleClass::tool) return;
  if (const Rule* const above = index_.rule_above(path_)) {
    lower_class(verdict, above->cls == RuleClass::tool ? RuleClass::yours : above->cls,
                "it is inside of " + above->title + " (" + above->id + ')');
  }
  if (inside_.other_owner) {
    lower_class(verdict, RuleClass::yours, "it, or something in it, belongs to another user");
  }
  demote_for_git(evidence, verdict);
  const std::int64_t newest = newest_of(entry);
  if (newest == fs::kUnknownTime) {
    lower_class(verdict, RuleClass::probably, "the time of its newest file is not known");
  } else if (newest > options_.now - kYoung) {
    const std::int64_t age = std::max<std::int64_t>(options_.now - newest, 0);
    lower_class(verdict, RuleClass::probably, "its newest file is " + age_text(age) + " old");
  }
}

void Judge::demote_for_git(Evidence& evidence, RuleVerdict& verdict) const {
  if (verdict.cls >= RuleClass::yours) return;
  const GitTrees::Answer& git = evidence.git();
  if (has_precious(git)) lower_class(verdict, RuleClass::yours, ".gitignore marks it as precious");
  if (git.tracks) lower_class(verdict, RuleClass::probably, "git tracks something in it");
  if (git.unreadable) {
    lower_class(verdict, RuleClass::probably,
                "git may track something in it: its index cannot be read");
  }
}

// Marked above it, or in it.
bool Judge::has_precious(const GitTrees::Answer& git) const {
  if (!git.precious.empty()) {
    if (GitTrees::matches(git.precious, git.path, tree_.kind(last_) == fs::Kind::directory)) {
      return true;
    }
    for (const std::string& below : paths_inside()) {
      if (git.precious.ignores(git.path + '/' + below, false)) return true;
      if (git.precious.ignores(git.path + '/' + below, true)) return true;
    }
  }
  return std::any_of(inside_.ignore_files.begin(), inside_.ignore_files.end(),
                     [&](fs::NodeId node) {
                       const ScannedRoot& root = paths_.root_of(node);
                       Location location;
                       if (!root.folder) return false;
                       if (find_location(root.folder.get(), paths_.below_root(node), location) < 0)
                         return false;
                       const auto text = read_small_file(location, std::size_t{1} << 20);
                       return text && marks_precious(*text);
                     });
}

// The paths of everything in the entry, from it.
std::vector<std::string> Judge::paths_inside() const {
  std::vector<std::string> paths;
  std::vector<std::pair<fs::DirId, std::string>> waiting;
  tree_.for_each_directory([&](fs::DirId directory) {
    if (tree_.node(directory) == last_) waiting.emplace_back(directory, "");
  });
  while (!waiting.empty()) {
    const auto [directory, prefix] = std::move(waiting.back());
    waiting.pop_back();
    for (const fs::NodeId other : children_.others(directory)) {
      paths.push_back(prefix + std::string(tree_.name(other)));
    }
    for (const fs::DirId below : children_.directories(directory)) {
      const std::string path = prefix + std::string(tree_.name(tree_.node(below)));
      paths.push_back(path);
      waiting.emplace_back(below, path + '/');
    }
  }
  return paths;
}

Candidate Judge::candidate(const JudgedEntry& entry, const Rule& rule, Judgement judgement) const {
  Candidate one;
  one.node = entry.node;
  one.directory = entry.directory;
  one.path = paths_.path(entry.node);
  one.rule = &rule;
  one.cls = judgement.verdict.cls;
  one.demotions = std::move(judgement.verdict.demotions);
  one.evidence = std::move(judgement.evidence);
  one.rebuild = rule.rebuild;
  one.command = rule.command;
  one.disk_bytes = disk_bytes_of(entry);
  one.newest = newest_of(entry);
  if (entry.directory == fs::kNoDir) {
    one.frees = tree_.links(entry.node) == 1 ? one.disk_bytes : 0;
    return one;
  }
  one.entries = totals_.below(entry.directory).entries();
  one.frees = exclusive_.below(entry.directory).disk_bytes;
  return one;
}

}  // namespace fathom::act
