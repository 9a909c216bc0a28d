// `fathom threads`: records, then writes the trace and the report.

#include "commands/threads.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

#include "fathom/base/error.h"
#include "fathom/diag/record_threads.h"
#include "flags/help.h"
#include "flags/threads_flags.h"
#include "run/interrupt.h"
#include "run/output.h"
#include "run/path.h"
#include "term/exit_code.h"
#include "term/label.h"
#include "term/message.h"
#include "term/number.h"
#include "view/threads_view.h"

namespace fathom::cli {

namespace {

// The same request with another destination of the results.
ThreadsRequest with_output(ThreadsRequest request, std::optional<std::string> path) {
  request.output = std::move(path);
  return request;
}

// The report is about the command, whose results are on standard output.
constexpr std::string_view kReportStream = "/dev/stderr";

diag::RecordOptions options_of(const ThreadsRequest& request) {
  diag::RecordOptions options;
  options.interval = std::chrono::milliseconds(request.interval);
  options.children = request.children;
  options.source = request.source;
  options.keep_spans = request.trace.has_value();
  options.keep_samples = request.trace || request.slices > 0 || request.format == TableFormat::json;
  return options;
}

diag::CommandRecording record(const ThreadsRequest& request) {
  if (!request.process) {
    // The command handles closed pipes as this program's parent intended.
    const ClosedPipesAsBefore pipes;
    return diag::record_command(request.command, options_of(request));
  }
  diag::CommandRecording recording;
  recording.process = *request.process;
  recording.threads = diag::record_process(*request.process, options_of(request),
                                           request.longest.value_or(std::chrono::seconds::max()));
  return recording;
}

// Returns whether the trace could be written.
bool write_trace(const diag::CommandRecording& recording, const std::string& path, Output& output) {
  try {
    const diag::Timeline::Summary summary =
        diag::write_trace(recording.threads, recording.process, output.sink());
    output.finish();
    if (summary.lost > 0) {
      print_message("the trace in " + escaped(path) + " is missing " +
                    counted(summary.lost, "event", "events"));
    }
    return true;
  } catch (const base::SystemError& error) {
    print_message(error.what());
    return false;
  }
}

bool write_report(const ThreadsRequest& request, const diag::CommandRecording& recording,
                  Output& output) {
  try {
    write_threads(request, recording, output);
    return true;
  } catch (const base::SystemError& error) {
    print_message(error.what());
    return false;
  }
}

int exit_code(const diag::CommandRecording& recording, bool written) {
  const int code = recording.signal != 0 ? kEndedBySignal + recording.signal : recording.code;
  return code == 0 && !written ? kIncomplete : code;
}

}  // namespace

int threads_command(const std::vector<std::string>& arguments) {
  const ThreadsRequest request = parse_threads(arguments);
  if (request.help != Help::none) return print(help_text(threads_manual(), request.help));
  if (request.trace && request.output && is_same_path(*request.output, *request.trace)) {
    throw UsageError("options '--output' and '--trace' name the same file");
  }
  // Before the command runs, not after it.
  Output report =
      open_output(with_output(request, request.output.value_or(std::string(kReportStream))));
  Output trace = open_output(with_output(request, request.trace.value_or("/dev/null")));
  try {
    const diag::CommandRecording recording = record(request);
    const Interrupt interrupt;  // removes an unfinished file
    const bool traced = !request.trace || write_trace(recording, *request.trace, trace);
    const bool reported = write_report(request, recording, report);
    return exit_code(recording, traced && reported);
  } catch (const base::SystemError& error) {
    if (request.process) throw UsageError(error.what());
    print_message(with_escaped(error.what(), request.command.front()));
    return error.code() == ENOENT ? kNotFound : kCannotRun;
  } catch (const base::Error& error) {
    throw UsageError(error.what());
  }
}

}  // namespace fathom::cli
