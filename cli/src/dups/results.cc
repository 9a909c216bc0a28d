// Results: writes the results of a search for duplicates in the requested format.

#include "dups/results.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>
#include <string>

#include "dups/plain_groups.h"
#include "dups/text_groups.h"
#include "fathom/base/error.h"
#include "fathom/fs/csv.h"
#include "fathom/fs/dup_report.h"

namespace fathom::cli {

namespace {

std::string current_directory() {
  const std::unique_ptr<char, void (*)(void*)> path(::getcwd(nullptr, 0), std::free);
  if (path == nullptr) throw base::SystemError("cannot determine the current directory", errno);
  return path.get();
}

// RFC 3339, in UTC.
std::string timestamp(std::chrono::system_clock::time_point when) {
  const auto nanoseconds =
      std::chrono::duration_cast<std::chrono::nanoseconds>(when.time_since_epoch()).count();
  constexpr std::int64_t kSecond = 1'000'000'000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:09}Z",
                     fmt::gmtime(static_cast<std::time_t>(nanoseconds / kSecond)),
                     nanoseconds % kSecond);
}

DupsView view_of(const DupsRequest& request, int descriptor) {
  DupsView view;
  view.units = request.units;
  view.top = request.top;
  view.all = request.all;
  view.summary = request.summary;
  view.terminal = terminal_of(descriptor, request.plain ? When::never : request.color);
  view.beside_messages = view.terminal.person && ::isatty(STDERR_FILENO) == 1;
  return view;
}

}  // namespace

void write_results(const DupsRequest& request, const DupsFinding& found, Output& output) {
  const fs::Sink sink = [&output](std::string_view block) { return output.write(block); };
  const fs::DupReport report{.scan = found.scan,
                             .same = found.same,
                             .directories = found.directories,
                             .kept = found.kept,
                             .top = request.top};
  switch (request.format) {
    case DupsFormat::text: {
      const DupsView view = view_of(request, output.descriptor());
      if (request.plain) {
        write_plain_groups(found, view, sink);
      } else {
        write_text_groups(found, view, sink);
      }
      break;
    }
    case DupsFormat::json:
      fs::write_dups_json(report, sink);
      break;
    case DupsFormat::csv:
      fs::write_csv(fs::duplicate_names(report), sink);
      break;
    case DupsFormat::fclones:
      fs::write_fclones(report, {timestamp(found.began), current_directory()}, sink);
      break;
  }
  output.finish();
}

}  // namespace fathom::cli
