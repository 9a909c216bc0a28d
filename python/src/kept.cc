// Kept snapshots: looking them up.

#include "kept.h"

#include <cerrno>
#include <span>
#include <vector>

#include "fathom/base/clock.h"
#include "fathom/store/log_report.h"
#include "fathom/store/series.h"
#include "fathom/store/snapshot_name.h"
#include "flags/common_request.h"
#include "rows.h"
#include "run/path.h"
#include "run/store_place.h"
#include "watch.h"

namespace fathom::python {

nb::dict facts_of(const store::SnapshotMeta& meta) {
  nb::dict facts;
  facts["id"] = decoded(meta.id);
  facts["tag"] = decoded(meta.tag);
  facts["writer"] = decoded(meta.writer);
  facts["host"] = decoded(meta.host);
  nb::list roots;
  for (const std::string& root : meta.roots) roots.append(decoded(root));
  facts["roots"] = roots;
  nb::list selection;
  for (const std::string& word : meta.selection) selection.append(decoded(word));
  facts["selection"] = selection;
  facts["imported"] = meta.imported;
  facts["started_ns"] = meta.started_ns;
  facts["ended_ns"] = meta.ended_ns;
  facts["entries"] = meta.totals.entries();
  facts["disk_bytes"] = meta.totals.disk_bytes;
  facts["apparent_bytes"] = meta.totals.apparent_bytes;
  facts["complete"] = meta.complete();
  return facts;
}

store::Store open_existing(const std::optional<std::string>& store) {
  cli::CommonRequest request;
  request.store = store;
  const std::string path = cli::store_path(request);
  if (cli::why_missing(path) == ENOENT) {
    throw store::NotFound("there are no snapshots in " + path + ": the directory does not exist");
  }
  return cli::open_store(request);
}

std::string folder_of_snapshot(const std::string& name, const std::optional<std::string>& store) {
  const store::Store opened = open_existing(store);
  const store::StoreContents contents = opened.list();
  return opened.path_of(store::find_snapshot(contents.snapshots, name, base::wall_now_ns()).name);
}

nb::list kept_snapshots(const std::optional<std::string>& path,
                        const std::optional<std::string>& store) {
  const store::Store opened = without_lock([&] { return open_existing(store); });
  const store::StoreContents contents = without_lock([&] { return opened.list(); });
  const std::span<const store::StoredSnapshot> all = contents.snapshots;
  const std::vector<store::LogRow> rows = without_lock([&] {
    return path ? log_rows(all, snapshots_with(all, cli::path_of_root(*path))) : log_rows(all);
  });
  nb::list list;
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    nb::dict facts = facts_of(row->snapshot->meta);
    facts["path"] = decoded(opened.path_of(row->snapshot->name));
    list.append(facts);
  }
  return list;
}

}  // namespace fathom::python
