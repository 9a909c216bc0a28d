// draft_plan: examines what was chosen, and adds up what acting on all of it frees.

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/act/never_touch.h"
#include "fathom/act/plan.h"
#include "fathom/act/surroundings.h"
#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "fathom/base/path.h"
#include "fathom/base/saturating.h"
#include "items/examine.h"
#include "items/open_files.h"
#include "items/path_order.h"
#include "os/open_root.h"
#include "os/processes.h"
#include "os/safe_open.h"
#include "os/unshared.h"
#include "text/json_fields.h"

namespace fathom::act {

namespace {

constexpr std::string_view kIsRoot = "it is a root of the scan";

// An inode with several names, in all items together.
struct SharedInode {
  SeenLinks::Inode names;
  std::uint64_t shared = 0;        // bytes of extents that other files may have, too
  std::vector<std::size_t> items;  // in ascending order, each once
};

bool is_as_seen(const Seen& seen, const Examined& found) {
  const fs::FileIdentity& now = found.state.identity;
  if (seen.device != 0 && seen.device != now.device) return false;
  if (seen.inode != 0 && seen.inode != now.inode) return false;
  return !seen.sums || *seen.sums == Seen::Sums{found.survey.entries, found.survey.bytes};
}

class Drafter {
 public:
  explicit Drafter(const DraftOptions& options)
      : options_(options), roots_(open_roots(options.roots)) {
    draft_.plan.roots = options.roots;
    draft_.plan.host = options.host;
    draft_.plan.quarantine = options.quarantine;
    draft_.plan.created_ns = base::wall_now_ns();
    draft_.plan.totals.emplace();
    if (options.keep_roots) find_roots();
  }

  Draft run(std::vector<Chosen> choices) {
    std::sort(choices.begin(), choices.end(),
              [](const Chosen& a, const Chosen& b) { return less_by_names(a.path, b.path); });
    const auto is_same = [](const Chosen& a, const Chosen& b) { return a.path == b.path; };
    choices.erase(std::unique(choices.begin(), choices.end(), is_same), choices.end());
    processes_ = read_processes();
    std::string last;
    for (Chosen& choice : choices) {
      if (options_.cancel.cancelled()) break;
      if (!last.empty() && base::is_below(choice.path, last)) continue;
      std::string path = choice.path;
      if (add(std::move(choice))) last = std::move(path);
    }
    add_shared_inodes();
    return std::move(draft_);
  }

 private:
  // By their numbers, because many paths can lead to one.
  void find_roots() {
    for (const std::string& root : options_.roots) {
      FileState found;
      if (state_at(root, found) != 0) continue;
      kept_.insert({found.identity.device, found.identity.inode});
    }
  }

  // Returns whether what is in it shares its fate. A root may be refused, and what is in it not.
  bool add(Chosen choice) {
    if (options_.keep_roots && is_root(choice.path)) {
      draft_.refused.push_back({std::move(choice.path), std::string(kIsRoot)});
      return false;
    }
    PlanItem item;
    item.root = root_of(choice.path);
    const std::string& root = options_.roots[item.root];
    item.path = choice.path.substr(root.size() > 1 ? root.size() + 1 : 1);
    item.action = choice.action;
    item.reason = std::move(choice.reason);
    if (auto why = examine_choice(item, choice.seen)) {
      const bool is_about_root = *why == kIsRoot || *why == kContainsRoot;
      draft_.refused.push_back({std::move(choice.path), std::move(*why)});
      return !is_about_root;
    }
    draft_.plan.items.push_back(std::move(item));
    return true;
  }

  [[nodiscard]] bool is_root(const std::string& path) const {
    const std::vector<std::string>& roots = options_.roots;
    return std::find(roots.begin(), roots.end(), path) != roots.end();
  }

  [[nodiscard]] std::uint32_t root_of(const std::string& path) const {
    for (std::size_t i = 0; i < options_.roots.size(); ++i) {
      if (base::is_below(path, options_.roots[i])) return static_cast<std::uint32_t>(i);
    }
    throw base::Error("'" + path + "' is not below a root of the plan");
  }

  // Fills in the item; or returns why it cannot be in a plan.
  std::optional<std::string> examine_choice(PlanItem& item, const std::optional<Seen>& seen) {
    // A byte becomes at most six, and six more as base64; the evidence has few short paths.
    constexpr std::size_t kLongestPath = kLongestLine / 16;
    if (item.path.size() > kLongestPath) return "its path is too long for a plan";
    const OpenRoot& root = roots_[item.root];
    if (const auto why = never_.why(draft_.plan.path_of(item))) return "it " + *why;
    if (root.code != 0) return "its root cannot be opened: " + message_of(root.code);
    open_here_.clear();
    open_bytes_here_.clear();
    shared_here_ = 0;
    shared_by_inode_.clear();
    SurveyOptions options;
    options.path = draft_.plan.path_of(item);
    options.roots = &kept_;
    options.cancel = options_.cancel;
    options.since_ns = options_.scanned_ns.value_or(kNever);
    options.on_file = [&](const TreeWalk::Place& place, const FileState& state,
                          const TreeWalk& walk) {
      note_file(place.folder, place.name, state,
                [&] { return draft_.plan.path_of(item) + '/' + walk.path_of(place.name); });
    };
    Examined found;
    auto verdict = examine(root.folder.get(), item.path, options, found);
    const FileState& state = found.state;
    if (kept_.contains({state.identity.device, state.identity.inode})) return std::string(kIsRoot);
    if (verdict) return verdict->why;
    if (!found.folder) {
      note_file(found.location.folder.get(), found.location.name.c_str(), found.state,
                [&] { return draft_.plan.path_of(item); });
    }
    if (!item.reason.evidence.empty()) {
      std::string why;
      const auto digest =
          digest_of_evidence(root.folder.get(), item.path, item.reason.evidence, why);
      if (!digest) return why;
      item.evidence_digest = *digest;
    }
    // A time in the future is that of a wrong clock.
    if ((seen && !is_as_seen(*seen, found)) ||
        found.survey.first_change_ns <= base::wall_now_ns()) {
      return "it has changed since the scan: scan it again";
    }
    fill(item, found);
    return std::nullopt;
  }

  template <class PathOf>
  void note_file(int folder, const char* name, const FileState& state, const PathOf& path_of) {
    const InodeKey key{state.identity.device, state.identity.inode};
    if (auto file = open_file(processes_, state, state.blocks * fs::kBlockBytes, path_of)) {
      open_bytes_here_[key] = file->bytes;
      open_here_.push_back(std::move(*file));
    }
    const std::uint64_t shared = shared_bytes_of(folder, name, state);
    if (shared == 0) return;
    if (state.links == 1) {
      shared_here_ = base::saturating_add(shared_here_, shared);
    } else {
      shared_by_inode_[key] = shared;
    }
  }

  std::uint64_t shared_bytes_of(int folder, const char* name, const FileState& state) {
    if (!shares_extents(folder, state)) return 0;
    return state.blocks * fs::kBlockBytes - unshared_bytes_at(folder, name, state);
  }

  bool shares_extents(int folder, const FileState& state) {
    const auto [place, fresh] = shares_extents_.try_emplace(state.identity.device, false);
    if (fresh) place->second = may_share_extents(folder);
    return place->second;
  }

  void fill(PlanItem& item, const Examined& found) {
    const std::size_t index = draft_.plan.items.size();
    item.kind = found.state.kind();
    item.identity = found.state.identity;
    item.entries = found.survey.entries;
    item.bytes = found.survey.bytes;
    item.digest = found.survey.digest;
    std::uint64_t of_single_names = item.bytes;
    for (const auto& [key, inode] : found.survey.links.by_inode) {
      of_single_names -= inode.bytes;
      SharedInode& all = inodes_[key];
      all.names = {all.names.seen + inode.seen, inode.links, inode.bytes};
      all.items.push_back(index);
      if (const auto shared = shared_by_inode_.find(key); shared != shared_by_inode_.end()) {
        all.shared = shared->second;
      }
    }
    draft_.plan.totals->entries += item.entries;
    count(item.action == Action::remove, of_single_names, std::min(shared_here_, of_single_names));
    draft_.open.insert(draft_.open.end(), open_here_.begin(), open_here_.end());
    for (const auto& [key, bytes] : open_bytes_here_) {
      if (open_inodes_.insert(key).second) draft_.plan.totals->open += bytes;
    }
  }

  void count(bool is_removed, std::uint64_t bytes, std::uint64_t shared) {
    PlanTotals& totals = *draft_.plan.totals;
    if (!is_removed) {
      totals.held = base::saturating_add(totals.held, bytes - shared);
      return;
    }
    totals.freed = base::saturating_add(totals.freed, bytes - shared);
    totals.freed_at_most = base::saturating_add(totals.freed_at_most, bytes);
  }

  // An inode is freed if all its names are removed, and held if some of them are moved.
  void add_shared_inodes() {
    for (const auto& [key, inode] : inodes_) {
      if (inode.names.seen > 1) {
        for (const std::size_t item : inode.items) draft_.plan.items[item].shares_inodes = true;
      }
      if (inode.names.seen < inode.names.links) continue;
      const bool is_removed = std::all_of(inode.items.begin(), inode.items.end(), [&](auto item) {
        return draft_.plan.items[item].action == Action::remove;
      });
      count(is_removed, inode.names.bytes, std::min(inode.shared, inode.names.bytes));
    }
    make_digests_of_sharing_items();
  }

  // Without change times, which acts on the other items will change.
  void make_digests_of_sharing_items() {
    for (PlanItem& item : draft_.plan.items) {
      if (!item.shares_inodes || item.kind != fs::Kind::directory) continue;
      Examined found;
      SurveyOptions options;
      options.ctime = CtimeRule::ignored;
      options.cancel = options_.cancel;
      // If it cannot be examined any more, the digest does not match, and the act is refused.
      if (!examine(roots_[item.root].folder.get(), item.path, options, found)) {
        item.digest = found.survey.digest;
      }
    }
  }

  const DraftOptions& options_;
  const std::vector<OpenRoot> roots_;
  std::set<InodeKey> kept_;  // roots
  const NeverTouch never_{own_surroundings()};
  Draft draft_;
  Processes processes_;
  std::map<InodeKey, SharedInode> inodes_;
  std::map<std::uint64_t, bool> shares_extents_;  // by device
  std::set<InodeKey> open_inodes_;                // whose bytes are in the totals

  // Of the choice that is being examined.
  std::vector<OpenFile> open_here_;
  std::map<InodeKey, std::uint64_t> open_bytes_here_;
  std::uint64_t shared_here_ = 0;
  std::map<InodeKey, std::uint64_t> shared_by_inode_;
};

}  // namespace

Draft draft_plan(std::vector<Chosen> choices, const DraftOptions& options) {
  return Drafter(options).run(std::move(choices));
}

}  // namespace fathom::act
