// Duplicates: the search, and its result.

#include "dups.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "fathom/base/clock.h"
#include "flags/dups_flags.h"
#include "run/scan_session.h"
#include "run/selection.h"
#include "scan.h"
#include "watch.h"

namespace fathom::python {

namespace {

// Without the selection.
fs::ScanOptions scan_options(const cli::DupsRequest& request, Watch& watch) {
  fs::ScanOptions options;
  options.roots = request.paths;
  options.threads = request.threads;
  options.read_links = true;  // to compare the links in directories
  options.cancel = watch.token();
  options.progress = [&watch](const fs::Progress& known) {
    watch.tell(known.entries, known.entries, 0, 0, known.seconds);
  };
  return options;
}

fs::DuplicateOptions compare_options(const cli::DupsRequest& request, Watch& watch) {
  fs::DuplicateOptions options;
  options.min_size = request.empty ? 0 : std::max<std::uint64_t>(1, request.min_size.value_or(1));
  options.threads = request.threads;
  options.drop_cache = request.drop_cache;
  options.cancel = watch.token();
  options.progress = [&watch](const fs::DuplicateProgress& known) {
    watch.tell(known.files, known.files_total, known.bytes, known.bytes_total, known.seconds);
  };
  return options;
}

nb::dict error_of(const fs::ScanError& error) {
  nb::dict facts;
  facts["path"] = decoded(error.path);
  facts["operation"] = error.operation;
  facts["errno"] = error.code;
  facts["message"] = decoded(message_of(error));
  return facts;
}

}  // namespace

std::shared_ptr<Duplicates> Duplicates::find(const std::vector<std::string>& arguments,
                                             nb::object progress) {
  const cli::DupsRequest request = cli::parse_dups(arguments);
  without_lock([&] { require_existing(request); });
  cli::allow_more_descriptors();
  Watch watch(std::move(progress));
  fs::ScanOptions scanning = scan_options(request, watch);
  const fs::DuplicateOptions comparing = compare_options(request, watch);
  fs::Scan scan = watch.run([&] {
    scanning.selection = selection_of(request, fs::Measure::disk)(base::wall_now());
    return fs::scan(scanning);
  });
  return watch.run([&] {
    fs::Duplicates same = fs::find_duplicates(scan.tree, comparing);
    return std::shared_ptr<Duplicates>(new Duplicates(std::move(scan), std::move(same)));
  });
}

Duplicates::Duplicates(fs::Scan scan, fs::Duplicates same)
    : scan_(std::move(scan)),
      same_(std::move(same)),
      directories_(fs::duplicate_directories(scan_, same_, fs::ScanAge::fresh)) {}

Rows Duplicates::names() const {
  const fs::DupReport report{.scan = scan_, .same = same_, .directories = directories_};
  return Rows(shared_from_this(), without_lock([&] { return fs::duplicate_names(report); }));
}

nb::list Duplicates::errors() const {
  nb::list list;
  for (const fs::ScanError& error : scan_.errors) list.append(error_of(error));
  for (const fs::ScanError& error : same_.errors) list.append(error_of(error));
  return list;
}

nb::list Duplicates::changed() const {
  nb::list list;
  for (const fs::NodeId node : same_.changed) list.append(decoded(scan_.tree.path(node)));
  return list;
}

}  // namespace fathom::python
