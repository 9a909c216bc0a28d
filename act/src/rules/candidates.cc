// find_candidates: one pass that looks up names, then the judgements, the outermost entries first.

#include "fathom/act/candidates.h"

#include <algorithm>
#include <map>
#include <utility>

#include "fathom/base/path.h"
#include "rules/judge.h"

namespace fathom::act {

namespace {

// Looking at an entry takes time in proportion to its depth, and a chain of directories is cheap to
// make.
constexpr std::uint32_t kDeepest = 250;

// The rules that may be about an entry.
struct Suspect {
  JudgedEntry entry;
  std::vector<const Rule*> rules;
};

class CandidateSearch {
 public:
  CandidateSearch(const fs::Scan& scan, const RuleSet& rules, const CandidateOptions& options)
      : tree_(scan.tree),
        index_(rules, options.around),
        paths_(scan),
        judge_(scan, index_, paths_, options),
        cancel_(options.cancel) {}

  [[nodiscard]] Candidates find() {
    look_up_directories();
    look_up_others();
    for (const Suspect& suspect : in_order()) {
      if (cancel_.cancelled()) break;
      consider(suspect);
    }
    finish();
    return std::move(found_);
  }

  [[nodiscard]] Explanation explain(const std::string& path) {
    Explanation answer;
    answer.path = path;
    answer.node = paths_.find(path);
    if (answer.node == fs::kNoNode) return answer;
    look_up_directories();
    look_up_others();
    const auto suspect = suspects_.find(answer.node);
    if (suspect != suspects_.end()) {
      for (const Rule* const rule : suspect->second.rules) {
        answer.verdicts.push_back(judge_.judge(suspect->second.entry, *rule, true).verdict);
      }
    }
    answer.part_of = candidate_around(path);
    return answer;
  }

 private:
  // ---- Looking up

  void look_up_directories() {
    tree_.for_each_directory([this](fs::DirId id) { look_up({tree_.node(id), id}); });
  }

  void look_up_others() {
    tree_.for_each_node([this](fs::NodeId node) {
      if (tree_.kind(node) == fs::Kind::directory) return;
      look_up({node, fs::kNoDir});
      if (tree_.kind(node) == fs::Kind::file) look_up_marker(node);
    });
  }

  // The empty ones and the large ones are known without looking at them.
  [[nodiscard]] bool may_hold(const JudgedEntry& entry, const Rule& rule) const {
    const bool wants_empty = std::any_of(
        rule.evidence.begin(), rule.evidence.end(),
        [](const Condition& condition) { return condition.check == Condition::Check::empty; });
    if (wants_empty && judge_.totals().below(entry.directory).entries() > 1) return false;
    return rule.min_size == 0 || entry.directory != fs::kNoDir ||
           tree_.entry(entry.node).disk_bytes() >= rule.min_size;
  }

  void look_up(const JudgedEntry& entry) {
    if (cancel_.cancelled()) return;
    const fs::DirId parent = tree_.parent(entry.node);
    if (parent == fs::kNoDir || (tree_.flags(entry.node) & fs::kUncounted) != 0) return;
    std::string path;
    const RuleIndex::Asked asked{tree_.name(entry.node), name_of(parent), tree_.kind(entry.node),
                                 [&]() -> const std::string& {
                                   return path.empty() ? path = paths_.path(entry.node) : path;
                                 }};
    rules_.clear();
    index_.add_rules(asked, rules_);
    for (const Rule* const rule : rules_) {
      if (may_hold(entry, *rule)) add(entry, *rule);
    }
  }

  // Of a root, the last name of its path.
  [[nodiscard]] std::string_view name_of(fs::DirId directory) const {
    const fs::NodeId node = tree_.node(directory);
    if (tree_.parent(node) != fs::kNoDir) return tree_.name(node);
    const std::string& path = paths_.root_of(node).path;
    return std::string_view(path).substr(path.rfind('/') + 1);
  }

  // A file with the last name of a marker: the entry is above the names of the marker.
  void look_up_marker(fs::NodeId node) {
    const auto* const markers = index_.markers(tree_.name(node));
    if (markers == nullptr) return;
    for (const RuleIndex::Marker& marker : *markers) {
      fs::DirId at = tree_.parent(node);
      for (auto name = std::next(marker.names.rbegin()); name != marker.names.rend(); ++name) {
        if (at == fs::kNoDir || name_of(at) != *name) at = fs::kNoDir;
        if (at != fs::kNoDir) at = tree_.parent_of(at);
      }
      if (at == fs::kNoDir || tree_.parent_of(at) == fs::kNoDir) continue;
      add({tree_.node(at), at}, *marker.rule);
    }
  }

  void add(const JudgedEntry& entry, const Rule& rule) {
    if (depth_of(entry) > kDeepest) return;
    if (index_.excepts(rule, tree_.name(entry.node), paths_.path(entry.node))) return;
    Suspect& suspect = suspects_[entry.node];
    suspect.entry = entry;
    suspect.rules.push_back(&rule);
  }

  // ---- Judging

  [[nodiscard]] std::uint32_t depth_of(const JudgedEntry& entry) const {
    const fs::DirId parent = tree_.parent(entry.node);
    return tree_.depth(parent);
  }

  // The outermost first, so that what is inside of a candidate need not be looked at.
  [[nodiscard]] std::vector<Suspect> in_order() {
    std::vector<Suspect> order;
    for (auto& [node, suspect] : suspects_) order.push_back(std::move(suspect));
    std::stable_sort(order.begin(), order.end(), [this](const Suspect& a, const Suspect& b) {
      return depth_of(a.entry) < depth_of(b.entry);
    });
    return order;
  }

  [[nodiscard]] bool is_covered(const JudgedEntry& entry) const {
    for (fs::DirId at = tree_.parent(entry.node); at != fs::kNoDir; at = tree_.parent_of(at)) {
      if (covered_[at]) return true;
    }
    return false;
  }

  // Of the rules that choose the entry, the most cautious one counts; a generic one only alone.
  void consider(const Suspect& suspect) {
    if (covered_.empty()) covered_.resize(tree_.directory_limit());
    if (is_covered(suspect.entry)) return;
    std::optional<Judgement> best;
    for (const bool generic : {false, true}) {
      for (const Rule* const rule : suspect.rules) {
        if (rule->generic != generic) continue;
        Judgement judgement = judge_.judge(suspect.entry, *rule, false);
        if (!judgement.verdict.chosen) continue;
        if (!best || judgement.verdict.cls > best->verdict.cls) best = std::move(judgement);
      }
      if (best) break;
    }
    if (best) take(suspect.entry, std::move(*best));
  }

  void take(const JudgedEntry& entry, Judgement judgement) {
    const Rule& rule = *judgement.verdict.rule;
    if (!judgement.verdict.skipped.empty()) {
      found_.skipped.push_back(
          {entry.node, paths_.path(entry.node), &rule, std::move(judgement.verdict.skipped)});
      return;
    }
    found_.items.push_back(judge_.candidate(entry, rule, std::move(judgement)));
    if (entry.directory != fs::kNoDir) covered_[entry.directory] = true;
  }

  void finish() {
    const auto by_path = [](const auto& a, const auto& b) { return a.path < b.path; };
    std::sort(found_.items.begin(), found_.items.end(), by_path);
    std::sort(found_.skipped.begin(), found_.skipped.end(), by_path);
    found_.unseen_processes = judge_.processes().unseen;
    found_.cancelled = cancel_.cancelled();
  }

  // ---- Explaining

  [[nodiscard]] std::string candidate_around(const std::string& path) {
    for (const Suspect& suspect : in_order()) {
      const std::string around = paths_.path(suspect.entry.node);
      if (base::is_below(path, around)) consider(suspect);
    }
    return found_.items.empty() ? std::string() : found_.items.front().path;
  }

  const fs::Tree& tree_;
  const RuleIndex index_;
  const ScannedPaths paths_;
  Judge judge_;
  const rt::CancelToken cancel_;
  std::map<fs::NodeId, Suspect> suspects_;
  std::vector<const Rule*> rules_;  // of the entry that is looked up
  std::vector<bool> covered_;       // by DirId: a candidate
  Candidates found_;
};

// The path of an entry, whose directory may be behind links; it itself is not followed.
std::string resolved_path(const std::string& path) {
  const std::size_t end = path.find_last_not_of('/');
  if (end == std::string::npos) return "/";
  const std::string plain = path.substr(0, end + 1);
  const std::size_t slash = plain.rfind('/');
  const std::string name = plain.substr(slash + 1);
  if (name == "." || name == "..") return base::real_path(plain).value_or(plain);
  const std::string folder = slash == std::string::npos ? "." : plain.substr(0, slash + 1);
  const std::string real = base::real_path(folder).value_or(folder);
  return (real == "/" ? "" : real) + '/' + name;
}

}  // namespace

Candidates find_candidates(const fs::Scan& scan, const RuleSet& rules,
                           const CandidateOptions& options) {
  return CandidateSearch(scan, rules, options).find();
}

Explanation explain_candidate(const fs::Scan& scan, const RuleSet& rules,
                              const CandidateOptions& options, const std::string& path) {
  return CandidateSearch(scan, rules, options).explain(resolved_path(path));
}

}  // namespace fathom::act
