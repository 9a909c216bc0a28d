// fathom: starts a command and maps exceptions to exit codes.
//
// A map of the program. Each folder may include those after it.
//
//   generate/  manual pages and shell completions, from the tables of commands and flags
//   commands/  the table of commands, and a file for each: from its arguments to its exit code
//   view/      results as text: text_report.cc orders the reports, text_table.cc, tree_view.cc and
//              explain_view.cc write them; text_groups.cc writes duplicates
//   run/       the work around a scan: sessions with progress and interruption, output files,
//              signals, --trace; all system calls except those about terminals
//   flags/     flag.h: a row of a table of flags; scan_flags.cc and the like: the tables;
//              arguments.cc: parsing; help.cc: the help that is derived from the tables
//   term/      escaped labels, numbers, colours, the progress line, messages
//
// The libraries do the work: fs (scans, reports, formats, duplicates), web (the server), diag
// (traces and profiles). docs/ARCHITECTURE.md follows a scan through them.

#include <exception>
#include <span>
#include <string>
#include <vector>

#include "commands/commands.h"
#include "fathom/base/crash_report.h"
#include "fathom/base/last_words.h"
#include "generate/generated.h"
#include "run/backtrace.h"
#include "run/interrupt.h"
#include "run/output.h"
#include "run/user_names.h"
#include "run/version.h"
#include "term/exit_code.h"
#include "term/message.h"

namespace fathom::cli {

namespace {

int run(const std::vector<std::string>& arguments) {
  const std::string first = arguments.empty() ? "" : arguments.front();
  if (first == "--generate") return generate_command({arguments.begin() + 1, arguments.end()});
  if (first == "--help" || first == "-h") return print(overview());
  if (first == "--version" || first == "-V") return print("fathom " + std::string(kVersion) + '\n');
  return run_arguments(arguments);
}

}  // namespace

}  // namespace fathom::cli

int main(int argc, char** argv) {
  using namespace fathom;
  cli::open_missing_standard_streams();
  cli::ignore_closed_pipes();
  base::report_uncaught();
  const std::span<char* const> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  try {
    base::report_crashes();
    cli::look_up_names_in_files();
    return cli::run({arguments.begin(), arguments.end()});
  } catch (const cli::UsageError& error) {
    cli::print_message(error.what(), error.lines());
    cli::show_backtrace(arguments, error);
    return cli::kWrongUsage;
  } catch (const std::bad_alloc&) {
    cli::print_message("out of memory");
    return cli::kIncomplete;
  } catch (const std::exception& error) {
    cli::print_message(error.what());
    cli::show_backtrace(arguments, error);
    return cli::kIncomplete;
  }
}
