// Trace: checks of the destination, and writing the timeline.

#include "run/trace.h"

#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string_view>

#include "fathom/base/error.h"
#include "fathom/diag/memory.h"
#include "fathom/diag/span.h"
#include "run/path.h"
#include "term/label.h"
#include "term/message.h"
#include "term/number.h"

namespace fathom::cli {

namespace {

// The status of standard output or of the file at the path, if it exists.
std::optional<struct stat> destination(const std::optional<std::string>& path) {
  struct stat status {};
  const bool is_standard = !path || *path == "-";
  const int code = is_standard ? ::fstat(STDOUT_FILENO, &status) : ::stat(path->c_str(), &status);
  if (code != 0) return std::nullopt;
  return status;
}

// Whether output to the two would be mixed. False for devices that keep nothing, such as /dev/null.
bool is_one_stream(const std::optional<struct stat>& a, const std::optional<struct stat>& b,
                   int descriptor) {
  if (!a || !b || a->st_dev != b->st_dev || a->st_ino != b->st_ino) return false;
  return !S_ISCHR(a->st_mode) || ::isatty(descriptor) == 1;
}

}  // namespace

Trace::Trace(const CommonRequest& request) : file_(request.trace.value_or("")) {
  if (!request.trace) return;
  if (request.output && is_same_path(*request.output, file_)) {
    throw UsageError("options '--output' and '--trace' name the same file");
  }
  for (const RuleSource& rule : request.select.rules) {
    if (rule.is_file && is_same_path(rule.text, file_)) {
      throw UsageError("option '--trace' names a file that '--exclude-from' reads");
    }
  }
  try {
    output_.emplace(request.trace);
  } catch (const base::SystemError& error) {
    throw UsageError(error.what());
  }
  if (is_one_stream(destination(request.output), destination(file_), output_->descriptor())) {
    throw UsageError("option '--trace' names the destination of the results");
  }
  diag::name_thread("main");
  timeline_.emplace(
      [this](std::string_view block) { blocks_.emplace_back(block); },
      diag::Timeline::Options{.figures = diag::show_memory, .context_switches = true});
}

bool Trace::finish() {
  if (!timeline_) return true;
  try {
    const diag::Timeline::Summary summary = write();
    if (summary.lost > 0) {
      print_message("the trace in " + escaped(file_) + " is missing " +
                    counted(summary.lost, "event", "events") + ": its buffer was full");
    }
    return true;
  } catch (const base::SystemError& error) {
    print_message(error.what());
    return false;
  }
}

diag::Timeline::Summary Trace::write() {
  const diag::Timeline::Summary summary = timeline_->stop();
  timeline_.reset();
  for (const std::string& block : blocks_) output_->write(block);
  output_->finish();
  blocks_.clear();
  return summary;
}

}  // namespace fathom::cli
