// BrowseGrowth: chooses the snapshot, and compares it with a snapshot in memory.

#include "run/browse_growth.h"

#include <algorithm>
#include <string>
#include <vector>

#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "fathom/rt/executor.h"
#include "fathom/store/diff.h"
#include "fathom/store/series.h"
#include "fathom/store/store.h"
#include "run/kept_scan.h"
#include "run/named_snapshots.h"
#include "run/path.h"
#include "run/store_place.h"
#include "term/label.h"

namespace fathom::cli {

namespace {

[[noreturn]] void refuse(const store::StoreContents& contents, const std::string& root) {
  const auto around = store::series_of_path(contents.snapshots, root);
  const std::string path = escaped(root);
  if (around.empty()) {
    throw base::Error("no snapshot of " + path + " is kept" + none_kept_note(contents));
  }
  throw base::Error("no snapshot of " + path + " itself is kept; `fathom diff @latest now " + path +
                    "` compares it with one of a directory above" + unreadable_note(contents));
}

// The newest one that has one of the roots.
const store::StoredSnapshot& newest_of(const store::StoreContents& contents,
                                       const std::vector<std::string>& roots) {
  const std::string host = host_name();
  const auto fits = [&](const store::StoredSnapshot& one) {
    const auto& kept = one.meta.roots;
    return one.meta.host == host && std::any_of(roots.begin(), roots.end(), [&](const auto& root) {
             return std::find(kept.begin(), kept.end(), root) != kept.end();
           });
  };
  const auto newest = std::find_if(contents.snapshots.rbegin(), contents.snapshots.rend(), fits);
  if (newest == contents.snapshots.rend()) refuse(contents, roots.empty() ? "" : roots.front());
  return *newest;
}

}  // namespace

tui::Growth growth_since_snapshot(const BrowseRequest& request, const fs::Scan& scan,
                                  fs::Measure measure, const rt::CancelToken& cancel) {
  tui::Growth growth;
  for (const std::string& root : scan.roots) growth.roots.push_back(path_of_root(root));
  const store::Store store = open_store(request);
  const store::StoreContents contents = store.list();
  const store::StoredSnapshot& newest = newest_of(contents, growth.roots);
  growth.since = base::whole_seconds(newest.meta.ended_ns);
  const auto before = store.open_snapshot(newest.name);
  if (!before) throw base::Error("the snapshot " + newest.name + " was removed meanwhile");
  rt::Executor executor({.name = "fathom-compare"});
  const store::SnapshotOptions facts = facts_of_scan(scan, base::wall_now_ns());
  const auto now = store::Snapshot::of(scan, facts, executor, cancel);
  growth.diff = store::compare(*before, now, {.measure = measure, .cancel = cancel}, executor);
  return growth;
}

}  // namespace fathom::cli
