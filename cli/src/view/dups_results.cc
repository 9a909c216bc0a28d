// DupsResults: writes the results of a search for duplicates in the requested format.

#include "view/dups_results.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "fathom/base/error.h"
#include "fathom/base/path.h"
#include "fathom/fs/csv.h"
#include "fathom/fs/dup_report.h"
#include "view/dups_notes.h"
#include "view/plain_groups.h"
#include "view/text_groups.h"

namespace fathom::cli {

namespace {

std::string current_folder() {
  const auto path = base::current_directory();
  if (!path) throw base::SystemError("cannot determine the current directory", errno);
  return *path;
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

// The rows of the screen that messages take. Those about a plan are not known yet.
std::size_t message_rows(const DupsRequest& request, const DupsFinding& found, unsigned columns) {
  constexpr std::size_t kPlanRows = 3;
  constexpr std::size_t kPrefix = sizeof "fathom: " - 1;
  std::size_t rows = (request.plan.write ? kPlanRows : 0) + (found.cancelled() ? 1 : 0);
  for (const std::string& message : incomplete_messages(found)) {
    rows += 1 + (kPrefix + message.size()) / columns;
  }
  return rows;
}

DupsView view_of(const DupsRequest& request, const DupsFinding& found, int descriptor) {
  DupsView view;
  view.units = request.units;
  view.top = request.top;
  view.all = request.all;
  view.summary = request.summary;
  view.terminal = terminal_of(descriptor, request.plain ? When::never : request.color);
  view.beside_messages = view.terminal.person && is_terminal(STDERR_FILENO);
  if (view.beside_messages) view.message_rows = message_rows(request, found, view.terminal.width);
  return view;
}

}  // namespace

void write_results(const DupsRequest& request, const DupsFinding& found, Output& output) {
  const fs::Sink sink = output.sink();
  const fs::DupReport report{.scan = found.scan,
                             .same = found.same,
                             .directories = found.directories,
                             .kept = found.kept,
                             .top = request.top};
  switch (request.format) {
    case DupsFormat::text: {
      const DupsView view = view_of(request, found, output.descriptor());
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
      fs::write_csv(fs::duplicate_names(report), sink, request.csv_texts);
      break;
    case DupsFormat::fclones:
      fs::write_fclones(report, {timestamp(found.began), current_folder()}, sink);
      break;
  }
  output.finish();
}

}  // namespace fathom::cli
