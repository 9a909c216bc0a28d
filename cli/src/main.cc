// fathom: dispatches to a command and maps exceptions to exit codes.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backtrace.h"
#include "commands.h"
#include "dups/command.h"
#include "exit_code.h"
#include "external_command.h"
#include "fathom/base/crash_report.h"
#include "fathom/base/last_words.h"
#include "generate/generated.h"
#include "interrupt.h"
#include "message.h"
#include "output.h"
#include "scan/command.h"
#include "serve/command.h"
#include "similar.h"
#include "term/label.h"

namespace fathom::cli {

namespace {

// If a standard stream is closed, a file opened later would get its number and receive the output
// that is meant for the user. Opens each in the wrong direction, so that using it still fails.
void open_missing_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) != -1) continue;
    if (::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) ::_exit(kWrongUsage);
  }
}

void append_command(std::string& help, const std::string& usage, const std::string& meaning) {
  constexpr std::size_t kColumns = 15;
  help += "  " + usage + std::string(kColumns - std::min(kColumns, usage.size()), ' ');
  help += "  " + meaning + '\n';
}

std::string help() {
  std::string text =
      "Fathom shows what fills a filesystem.\n"
      "\n"
      "Usage: fathom COMMAND ...\n"
      "\n";
  for (const Command& command : kCommands) {
    append_command(text, std::string(command.name) + ' ' + std::string(command.argument),
                   std::string(command.help));
  }
  for (const std::string& command : external_commands()) {
    append_command(text, command, "fathom-" + command + " from PATH");
  }
  return text +
         "\n"
         "  -h, --help       show this text\n"
         "  -V, --version    show the version\n"
         "\n"
         "`fathom COMMAND --help` describes a command. Any other COMMAND X runs fathom-X\n"
         "from PATH. Without a COMMAND, the exit code is 2.\n";
}

// `fathom help`, `fathom help scan`, and `fathom help X` for an external command.
int help_command(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front() == "help") {
    Output(std::nullopt).write(help());
    return kComplete;
  }
  if (arguments.front() == "scan") return scan_command({"--help"});
  if (arguments.front() == "dups") return dups_command({"--help"});
  if (arguments.front() == "serve") return serve_command({"--help"});
  run_external(arguments.front(), {"--help"});
}

[[noreturn]] void refuse_option(const std::string& option) {
  const std::vector<std::string> known = {"--help", "--version"};
  if (const auto meant = similar(option, known)) {
    throw UsageError("unknown option '" + escaped(option) + "'; did you mean '" + *meant + "'?");
  }
  throw UsageError("options follow the command, as in `fathom scan --summary`");
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    write_fully(STDERR_FILENO, help());
    return kWrongUsage;
  }
  const std::string& command = arguments.front();
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (command == "scan") return scan_command(rest);
  if (command == "dups") return dups_command(rest);
  if (command == "serve") return serve_command(rest);
  if (command == "help") return help_command(rest);
  if (command == "--help" || command == "-h") return help_command({});
  if (command == "--generate") return generate_command(rest, FATHOM_VERSION);
  if (command == "--version" || command == "-V") {
    Output(std::nullopt).write("fathom " FATHOM_VERSION "\n");
    return kComplete;
  }
  if (command.starts_with('-')) refuse_option(command);
  run_external(command, rest);
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
    return cli::run({arguments.begin(), arguments.end()});
  } catch (const cli::UsageError& error) {
    cli::print_message(error.what());
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
