// `fathom log`: lists snapshots by their meta.json.

#include "commands/log.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "fathom/store/log_report.h"
#include "fathom/store/series.h"
#include "flags/help.h"
#include "flags/log_flags.h"
#include "run/interrupt.h"
#include "run/named_snapshots.h"
#include "run/output.h"
#include "run/path.h"
#include "run/store_place.h"
#include "term/label.h"
#include "term/message.h"
#include "view/log_results.h"

namespace fathom::cli {

int log_command(const std::vector<std::string>& arguments) {
  const LogRequest request = parse_log(arguments);
  if (request.help != Help::none) return print(help_text(log_manual(), request.help));
  const Interrupt interrupt;
  const store::Store store = open_store(request);
  Output output = open_output(request);
  const store::StoreContents contents = store.list();
  const std::span<const store::StoredSnapshot> all = contents.snapshots;
  std::string path;
  std::vector<store::LogRow> rows;
  if (request.path) {
    path = path_in_snapshots(*request.path);
    rows = log_rows(all, snapshots_with(all, path));
    // A snapshot may contain the link itself, but not what it leads to.
    if (rows.empty()) rows = log_rows(all, snapshots_with(all, path_of_root(*request.path)));
  } else {
    rows = log_rows(all);
  }
  const std::size_t total = rows.size();
  if (request.top != 0) rows.resize(std::min(total, request.top));
  if (rows.empty()) {
    print_message(request.path ? "no snapshot contains " + escaped(path)
                               : "there are no snapshots in " + escaped(store.path()));
  }
  if (!rows.empty() || request.format != TableFormat::text) {
    write_log(
        request,
        {.store = store.path(), .rows = rows, .total = total, .unreadable = contents.unreadable},
        output);
  }
  return tell_unreadable(store, contents);
}

}  // namespace fathom::cli
