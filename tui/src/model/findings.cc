// Findings: results of searches as rows.

#include "model/findings.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "fathom/base/saturating.h"
#include "fathom/fs/name_matcher.h"
#include "model/passes.h"

namespace fathom::tui {

namespace {

FindingGroup::Kind kind_of(act::RuleClass cls) {
  switch (cls) {
    case act::RuleClass::safe:
      return FindingGroup::Kind::safe;
    case act::RuleClass::probably:
      return FindingGroup::Kind::probably;
    case act::RuleClass::yours:
      return FindingGroup::Kind::yours;
    case act::RuleClass::tool:
      break;
  }
  return FindingGroup::Kind::tool;
}

void sort_by_size(const Facts& facts, std::vector<Finding>& items) {
  std::sort(items.begin(), items.end(), [&](const Finding& a, const Finding& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : facts.tree().path_less(a.node, b.node);
  });
}

void append(FindingRows& rows, FindingGroup group, const std::vector<Finding>& items) {
  group.begin = rows.items.size();
  rows.items.insert(rows.items.end(), items.begin(), items.end());
  group.end = rows.items.size();
  group.bytes = 0;
  std::uint64_t most = 0;
  for (const Finding& item : items) {
    group.bytes = base::saturating_add(group.bytes, item.frees);
    most = std::max(most, item.frees);
  }
  if (group.kind == FindingGroup::Kind::equal) group.bytes -= std::min(group.bytes, most);
  rows.groups.push_back(group);
}

void append_any(FindingRows& rows, const FindingGroup& group, const std::vector<Finding>& items) {
  if (!items.empty()) append(rows, group, items);
}

std::uint64_t disk_bytes_of(const Facts& facts, fs::NodeId node, fs::DirId directory) {
  return directory == fs::kNoDir ? facts.tree().entry(node).disk_bytes()
                                 : facts.totals().below(directory).disk_bytes;
}

void append_class(Findings& findings, FindingGroup::Kind kind) {
  std::vector<Finding> items;
  const std::vector<act::Candidate>& all = findings.ruled->found.items;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (kind_of(all[i].cls) != kind) continue;
    items.push_back({all[i].node, all[i].directory, all[i].disk_bytes, all[i].frees, i});
  }
  sort_by_size(*findings.facts, items);
  append_any(findings, {.kind = kind}, items);
}

void append_skipped(Findings& findings) {
  std::vector<Finding> items;
  const std::vector<act::SkippedCandidate>& all = findings.ruled->found.skipped;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const fs::DirId directory = findings.facts->directory_at(all[i].node);
    const std::uint64_t bytes = disk_bytes_of(*findings.facts, all[i].node, directory);
    items.push_back({all[i].node, directory, bytes, 0, i});
  }
  sort_by_size(*findings.facts, items);
  append_any(findings, {.kind = FindingGroup::Kind::skipped, .opens = false}, items);
}

void index_candidates(Findings& findings) {
  if (findings.ruled == nullptr) return;
  for (const FindingGroup& group : findings.groups) {
    if (group.kind == FindingGroup::Kind::skipped) continue;
    for (std::size_t i = group.begin; i < group.end; ++i) {
      findings.ruled_items[findings.items[i].node] = findings.items[i].detail;
    }
  }
}

// Whether the file has not been changed, as far as the scans know.
bool is_unchanged(const fs::Entry& before, const fs::Entry& now) {
  return now.inode == before.inode && now.device == before.device && now.size == before.size &&
         now.mtime == before.mtime && now.times.ctime == before.times.ctime;
}

// The bytes that the entry has now. What it shared with others is taken to be the same.
void recount(Finding& item, const Facts& facts) {
  const std::uint64_t shared = item.bytes - std::min(item.bytes, item.frees);
  item.bytes = disk_bytes_of(facts, item.node, item.directory);
  item.frees = item.bytes - std::min(item.bytes, shared);
}

// What is asked about each row.
class RowMatcher {
 public:
  RowMatcher(const Findings& findings, const std::string& text)
      : findings_(findings), tree_(findings.facts->tree()), matches_(text) {
    const fs::DirId top = findings.facts->top();
    if (top == fs::kNoDir) return;
    above_ = findings.facts->path(top).size();
    if (above_ > 1) ++above_;
  }

  [[nodiscard]] bool operator()(const Finding& item, FindingGroup::Kind kind) {
    const act::Rule* const rule = rule_of(item, kind);
    if (rule != nullptr && matches_(rule->id)) return true;
    if (item.node == fs::kNoNode) return matches_(findings_.changes[item.detail].path);
    const std::string path = tree_.path(item.node);
    if (path.size() <= above_) return matches_(path);
    return matches_(std::string_view(path).substr(above_)) || matches_(tree_.name(item.node));
  }

 private:
  [[nodiscard]] const act::Rule* rule_of(const Finding& item, FindingGroup::Kind kind) const {
    if (findings_.ruled == nullptr) return nullptr;
    const act::Candidates& found = findings_.ruled->found;
    if (kind == FindingGroup::Kind::skipped) return found.skipped[item.detail].rule;
    return found.items[item.detail].rule;
  }

  const Findings& findings_;
  const fs::Tree& tree_;
  fs::NameMatcher matches_;
  std::size_t above_ = 0;  // bytes of a path that are those of the only root
};

}  // namespace

const act::Candidate* Findings::candidate(fs::NodeId node) const {
  const auto found = ruled_items.find(node);
  return found == ruled_items.end() ? nullptr : &ruled->found.items[found->second];
}

Findings findings_of(std::shared_ptr<const Facts> facts, std::shared_ptr<const Ruled> ruled) {
  Findings findings;
  findings.facts = std::move(facts);
  findings.ruled = std::move(ruled);
  findings.complete = !findings.ruled->found.cancelled;
  using Kind = FindingGroup::Kind;
  for (const Kind kind : {Kind::safe, Kind::probably, Kind::yours, Kind::tool}) {
    append_class(findings, kind);
  }
  append_skipped(findings);
  index_candidates(findings);
  return findings;
}

Findings findings_of(std::shared_ptr<const Facts> facts, const fs::Duplicates& same) {
  Findings findings;
  findings.facts = std::move(facts);
  findings.complete = !same.cancelled;
  const fs::Tree& tree = findings.facts->tree();
  std::vector<Finding> items;
  for (const fs::DuplicateGroup& group : same.groups) {
    items.clear();
    // By storage: files that share one waste nothing.
    std::vector<bool> counted(group.files.size());
    for (const fs::DuplicateFile& file : group.files) {
      const std::uint64_t bytes = tree.entry(file.node).disk_bytes();
      const bool shares = counted[file.storage];
      counted[file.storage] = true;
      items.push_back({file.node, fs::kNoDir, bytes, shares ? 0 : bytes, 0});
    }
    append_any(findings, {.kind = FindingGroup::Kind::equal, .opens = false}, items);
  }
  return findings;
}

Findings renumbered(const Findings& before, std::shared_ptr<const Facts> facts,
                    const std::vector<fs::NodeId>& nodes,
                    const std::vector<fs::DirId>& directories) {
  Findings now;
  now.facts = std::move(facts);
  now.complete = before.complete;
  now.ruled = before.ruled;
  for (const FindingGroup& group : before.groups) {
    std::vector<Finding> items;
    for (std::size_t i = group.begin; i < group.end; ++i) {
      Finding item = before.items[i];
      const fs::Entry seen = before.facts->tree().entry(item.node);
      item.node = nodes[item.node];
      if (item.node == fs::kNoNode) continue;
      if (group.kind == FindingGroup::Kind::equal &&
          !is_unchanged(seen, now.facts->tree().entry(item.node))) {
        continue;
      }
      if (item.directory != fs::kNoDir) item.directory = directories[item.directory];
      recount(item, *now.facts);
      if (group.kind == FindingGroup::Kind::skipped) item.frees = 0;
      items.push_back(item);
    }
    if (group.kind != FindingGroup::Kind::equal) sort_by_size(*now.facts, items);
    // A file that is the only one left is not a duplicate.
    if (group.kind == FindingGroup::Kind::equal && items.size() < 2) continue;
    append_any(now, group, items);
  }
  index_candidates(now);
  return now;
}

FindingRows narrowed(const Findings& findings, const FindingRows& rows, const std::string& text) {
  std::vector<FindingGroup::Kind> kinds(rows.items.size());
  for (const FindingGroup& group : rows.groups) {
    for (std::size_t i = group.begin; i < group.end; ++i) kinds[i] = group.kind;
  }
  std::vector<char> hits(rows.items.size());
  in_parts(hits.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    RowMatcher matches(findings, text);
    for (std::size_t i = begin; i < end; ++i) hits[i] = matches(rows.items[i], kinds[i]) ? 1 : 0;
  });
  FindingRows kept;
  for (const FindingGroup& group : rows.groups) {
    const auto first = hits.begin() + static_cast<std::ptrdiff_t>(group.begin);
    const auto last = hits.begin() + static_cast<std::ptrdiff_t>(group.end);
    const bool whole = group.kind == FindingGroup::Kind::equal && std::find(first, last, 1) != last;
    std::vector<Finding> items;
    for (std::size_t i = group.begin; i < group.end; ++i) {
      if (whole || hits[i] != 0) items.push_back(rows.items[i]);
    }
    append(kept, group, items);
  }
  return kept;
}

}  // namespace fathom::tui
