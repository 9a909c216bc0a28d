// `fathom log`: lists snapshots by their meta.json.

#include "commands/log.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "fathom/store/series.h"
#include "flags/help.h"
#include "flags/log_flags.h"
#include "run/output.h"
#include "run/path.h"
#include "run/store_place.h"
#include "term/exit_code.h"
#include "term/label.h"
#include "term/message.h"
#include "view/log_results.h"

namespace fathom::cli {

namespace {

// The indexes of the snapshots to list, the oldest first.
std::vector<std::size_t> wanted(const LogRequest& request,
                                const std::vector<store::StoredSnapshot>& all) {
  if (request.path) return series_of_path(all, path_of_root(*request.path));
  std::vector<std::size_t> indexes(all.size());
  std::iota(indexes.begin(), indexes.end(), std::size_t{0});
  return indexes;
}

// The latest first.
std::vector<LogRow> rows_of(const LogRequest& request,
                            const std::vector<store::StoredSnapshot>& all) {
  std::vector<std::size_t> indexes = wanted(request, all);
  std::reverse(indexes.begin(), indexes.end());
  if (request.top != 0) indexes.resize(std::min(indexes.size(), request.top));
  std::vector<LogRow> rows;
  for (const std::size_t index : indexes) {
    const std::size_t before = store::before_in_series(all, index);
    rows.push_back({&all[index], before == store::kNoSnapshot ? nullptr : &all[before]});
  }
  return rows;
}

}  // namespace

int log_command(const std::vector<std::string>& arguments) {
  const LogRequest request = parse_log(arguments);
  if (request.help != Help::none) return print(help_text(log_manual(), request.help));
  const store::Store store = open_store(request);
  Output output = open_output(request);
  const store::StoreContents contents = store.list();
  const std::vector<LogRow> rows = rows_of(request, contents.snapshots);
  if (rows.empty()) {
    print_message(request.path ? "no snapshot contains " + escaped(path_of_root(*request.path))
                               : "there are no snapshots in " + escaped(store.path()));
  }
  if (!rows.empty() || request.format != LogFormat::text) {
    write_log(request, store.path(), rows, contents.unreadable, output);
  }
  for (const store::UnreadableSnapshot& one : contents.unreadable) {
    print_message("cannot read " + escaped(store.path_of(one.name)) + ": " + one.why);
  }
  return contents.unreadable.empty() ? kComplete : kIncomplete;
}

}  // namespace fathom::cli
