// Commands: the table, and the texts about all commands.

#include "commands/commands.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <optional>

#include "commands/apply.h"
#include "commands/browse.h"
#include "commands/clean.h"
#include "commands/diff.h"
#include "commands/dups.h"
#include "commands/find.h"
#include "commands/growth.h"
#include "commands/log.h"
#include "commands/scan.h"
#include "commands/serve.h"
#include "commands/snapshot.h"
#include "commands/store.h"
#include "commands/threads.h"
#include "flags/apply_flags.h"
#include "flags/arguments.h"
#include "flags/browse_flags.h"
#include "flags/clean_flags.h"
#include "flags/diff_flags.h"
#include "flags/dups_flags.h"
#include "flags/find_flags.h"
#include "flags/growth_flags.h"
#include "flags/help.h"
#include "flags/log_flags.h"
#include "flags/scan_flags.h"
#include "flags/serve_flags.h"
#include "flags/snapshot_flags.h"
#include "flags/store_flags.h"
#include "flags/threads_flags.h"
#include "run/external_command.h"
#include "run/output.h"
#include "run/path.h"
#include "term/label.h"
#include "term/message.h"
#include "term/similar.h"

namespace fathom::cli {

namespace {

constexpr std::string_view kSeeOverview = "; `fathom --help` lists the commands";

// Throws if the command or the program fathom-NAME is missing.
int run_named(const std::string& name, const std::vector<std::string>& arguments);

// `fathom help`, `fathom help scan`, and `fathom help X` for the program fathom-X.
int help_command(const std::vector<std::string>& arguments) {
  const Command* const command = arguments.empty() ? nullptr : command_named(arguments.front());
  if (arguments.empty() || (command != nullptr && command->run == help_command)) {
    return print(overview());
  }
  return run_named(arguments.front(), {"--help"});
}

constexpr std::array kCommands = {
    Command{"scan", "[PATH...]", "show what fills each PATH (default: the current directory)",
            scan_command, scan_manual},
    Command{"browse", "[PATH...]", "show each PATH in the terminal, and collect what may go",
            browse_command, browse_manual},
    Command{"dups", "[PATH...]", "find duplicate files in each PATH, compared byte by byte",
            dups_command, dups_manual},
    Command{"find", "[GLOB...]", "find entries in each PATH by name, and sum their sizes",
            find_command, find_manual},
    Command{"clean", "[PATH...]", "list what may be cleaned up in each PATH, with the reasons",
            clean_command, clean_manual},
    Command{"serve", "[PATH...]", "show each PATH in a browser, during the scan and after it",
            serve_command, serve_manual},
    Command{"snapshot", "[PATH...]", "keep the sizes of each PATH, to see later what grew",
            snapshot_command, snapshot_manual},
    Command{"log", "[PATH]", "list the snapshots that were kept", log_command, log_manual},
    Command{"diff", "[A [B]]", "show what changed between two snapshots, or since one",
            diff_command, diff_manual},
    Command{"growth", "[PATH]", "show how directories grew over many snapshots", growth_command,
            growth_manual},
    Command{"store", "COMMAND", "list, verify or clean up the store of snapshots", store_command,
            store_manual},
    Command{"apply", "PLAN", "carry out a plan; without --execute, show what it would do",
            apply_command, apply_manual},
    Command{"undo", "JOURNAL", "move back what a plan has moved", undo_command, undo_manual},
    Command{"leaks", "-- CMD...", "run CMD, and list the memory that it did not free", nullptr,
            nullptr, "the package of Debian, the RPM, and `make install`"},
    Command{"fleet", "scan|status", "share the scan of each PATH among many workers or machines",
            nullptr, nullptr, "the Python package fathom-fs"},
    Command{"threads", "-- CMD...", "run CMD, and show switches and waits of its threads",
            threads_command, threads_manual},
    Command{"help", "[COMMAND]", "show this text, or the help of a command", help_command, nullptr},
};

// Runs the command, or replaces the process by the program fathom-NAME. Nothing if there is
// neither.
std::optional<int> try_named(const std::string& name, const std::vector<std::string>& arguments) {
  const Command* const command = command_named(name);
  if (command != nullptr && command->run != nullptr) return command->run(arguments);
  run_external(name, arguments);
  if (command == nullptr) return std::nullopt;
  throw UsageError("the program fathom-" + name + " is not installed: it comes with " +
                   std::string(command->comes_with));
}

// "; did you mean 'scan'?", or where the commands are listed.
std::string hint_for(const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : kCommands) names.emplace_back(command.name);
  for (const std::string& other : external_commands()) names.push_back(other);
  const auto meant = similar(name, names);
  return meant ? "; did you mean '" + *meant + "'?" : std::string(kSeeOverview);
}

int run_named(const std::string& name, const std::vector<std::string>& arguments) {
  if (const std::optional<int> code = try_named(name, arguments)) return *code;
  throw UsageError("unknown command '" + escaped(name) + "'" + hint_for(name));
}

// ---- A scan without the name of the command

// A first argument that is neither a command nor a path. Otherwise the scan reports it.
void check_path(const std::string& path) {
  const int error = path.empty() ? 0 : why_missing(path);
  if (error != ENOENT && error != ENAMETOOLONG) return;
  if (path.find('/') != std::string::npos) return;  // cannot be the name of a command
  throw UsageError("'" + escaped(path) + "' is neither a command nor an existing path" +
                   hint_for(path));
}

// A first argument that is nearly --help or --version, which are not options of a scan.
void check_option(const std::string& option) {
  const auto& flags = scan_manual().flags;
  const auto is_it = [&option](const Flag& flag) {
    const auto known = spellings(flag);
    return std::find(known.begin(), known.end(), option.substr(0, option.find('='))) != known.end();
  };
  if (std::any_of(flags.begin(), flags.end(), is_it)) return;
  if (const auto meant = similar_option(option, kGlobalFlags)) {
    throw UsageError("unknown option '" + escaped(option) + "'; did you mean '" + *meant + "'?");
  }
}

// The paths that follow options: the name of a command among them is in the wrong place.
void check_order(const std::vector<std::string>& arguments) {
  const Manual& manual = scan_manual();
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  const Arguments found = split_arguments(manual.command, manual.flags, {arguments.begin(), end});
  if (found.paths.empty()) return;
  const std::string& path = found.paths.front();
  if (command_named(path) == nullptr) return;
  throw UsageError("the command '" + path + "' must come before its options; for a path, use './" +
                   path + "'");
}

int scan_by_default(const std::vector<std::string>& arguments) {
  const std::string first = arguments.empty() ? "" : arguments.front();
  if (first.size() > 1 && first.starts_with('-')) {
    if (first.starts_with("--")) check_option(first);
    check_order(arguments);
  } else {
    check_path(first);
  }
  return scan_command(arguments);
}

void append_row(std::string& text, const std::string& left, std::string_view right) {
  constexpr std::size_t kColumns = 18;
  text += "  " + left + std::string(kColumns - std::min(kColumns, left.size()), ' ');
  text += "  " + std::string(right) + '\n';
}

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

const Command* command_named(std::string_view name) {
  const auto* const found =
      std::find_if(kCommands.begin(), kCommands.end(),
                   [name](const Command& command) { return command.name == name; });
  return found == kCommands.end() ? nullptr : found;
}

namespace {

int run_command_or_scan(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && !arguments.front().starts_with('-')) {
    const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
    if (const std::optional<int> code = try_named(arguments.front(), rest)) return *code;
  }
  return scan_by_default(arguments);
}

}  // namespace

int run_arguments(const std::vector<std::string>& arguments) {
  try {
    return run_command_or_scan(arguments);
  } catch (const UnknownOption& error) {
    if (why_missing(error.argument()) != 0) throw;
    std::string sentence = error.what();
    sentence.insert(error.hint_at(),
                    "; the path '" + escaped(error.argument()) + "' goes after '--'");
    throw UsageError(sentence);
  }
}

std::string documented_commands() {
  std::string names;
  for (const Command& command : kCommands) {
    if (command.run == help_command) continue;
    names += (names.empty() ? "" : " ") + std::string(command.name);
  }
  return names;
}

std::string overview() {
  std::string text =
      "Fathom shows what fills a filesystem.\n"
      "\n"
      "Usage: fathom [OPTION...] [PATH...]   the same as fathom scan\n"
      "       fathom COMMAND ...\n"
      "\n";
  for (const Command& command : kCommands) {
    append_row(text, std::string(command.name) + ' ' + std::string(command.operands),
               command.summary);
  }
  for (const std::string& name : external_commands()) {
    if (command_named(name) == nullptr) append_row(text, name, "the program fathom-" + name);
  }
  text += '\n';
  for (const Flag& flag : kGlobalFlags) append_row(text, usage_of(flag), flag.help);
  return text +
         "\n"
         "`fathom COMMAND --help` describes a command. Any other COMMAND X runs fathom-X\n"
         "from PATH. For a path with the name of a command, use ./NAME.\n";
}

}  // namespace fathom::cli
