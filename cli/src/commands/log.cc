// `fathom log`: lists snapshots by their meta.json.

#include "commands/log.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "fathom/store/log_report.h"
#include "flags/help.h"
#include "flags/log_flags.h"
#include "run/named_snapshots.h"
#include "run/output.h"
#include "run/path.h"
#include "run/store_place.h"
#include "term/exit_code.h"
#include "term/label.h"
#include "term/message.h"
#include "view/log_results.h"

namespace fathom::cli {

int log_command(const std::vector<std::string>& arguments) {
  const LogRequest request = parse_log(arguments);
  if (request.help != Help::none) return print(help_text(log_manual(), request.help));
  const store::Store store = open_store(request);
  Output output = open_output(request);
  const store::StoreContents contents = store.list();
  const std::string path = request.path ? path_in_snapshots(*request.path) : "";
  std::vector<store::LogRow> rows = store::log_rows(contents.snapshots, path);
  if (rows.empty() && request.path) {
    // A snapshot may contain the link itself, but not what it leads to.
    rows = store::log_rows(contents.snapshots, path_of_root(*request.path));
  }
  const std::size_t total = rows.size();
  if (request.top != 0) rows.resize(std::min(total, request.top));
  if (rows.empty()) {
    print_message(request.path ? "no snapshot contains " + escaped(path)
                               : "there are no snapshots in " + escaped(store.path()));
  }
  if (!rows.empty() || request.format != LogFormat::text) {
    write_log(
        request,
        {.store = store.path(), .rows = rows, .total = total, .unreadable = contents.unreadable},
        output);
  }
  return tell_unreadable(store, contents);
}

}  // namespace fathom::cli
