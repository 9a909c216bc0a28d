// External commands: finding and running the programs fathom-X.

#include "run/external_command.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "run/interrupt.h"
#include "term/message.h"

namespace fathom::cli {

namespace {

constexpr std::string_view kPrefix = "fathom-";

// Excludes names that could lead out of PATH or look like a flag.
bool is_name(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  return !text.empty() && text.front() != '-' && std::all_of(text.begin(), text.end(), allowed);
}

void add_commands_in(const std::string& folder, std::vector<std::string>& commands) {
  DIR* listing = ::opendir(folder.c_str());
  if (listing == nullptr) return;
  while (const dirent* entry = ::readdir(listing)) {
    const std::string_view name = entry->d_name;
    if (!name.starts_with(kPrefix) || !is_name(name.substr(kPrefix.size()))) continue;
    const std::string path = folder + '/' + entry->d_name;
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    if (::access(path.c_str(), X_OK) == 0) commands.emplace_back(name.substr(kPrefix.size()));
  }
  ::closedir(listing);
}

// The file with that name in the directory of this program, for users who run it by its path
// without having it in PATH.
std::string beside_this_program(const std::string& name) {
  std::error_code unknown;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", unknown);
  return unknown ? name : (self.parent_path() / name).string();
}

// Replaces the process. Returns only on failure, with the errno.
int become(const std::string& program, const std::vector<char*>& argv) {
  const ClosedPipesAsBefore pipes;
  ::execvp(program.c_str(), argv.data());
  const int code = errno;
  ::execv(beside_this_program(program).c_str(), argv.data());
  return errno == ENOENT ? code : errno;
}

}  // namespace

std::vector<std::string> external_commands() {
  std::vector<std::string> commands;
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    if (!folder.empty()) add_commands_in(std::string(folder), commands);
  }
  add_commands_in(beside_this_program(""), commands);
  std::sort(commands.begin(), commands.end());
  commands.erase(std::unique(commands.begin(), commands.end()), commands.end());
  return commands;
}

void run_external(const std::string& command, const std::vector<std::string>& arguments) {
  if (!is_name(command)) return;
  const std::string program = std::string(kPrefix) + command;
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  const int code = become(program, argv);
  if (code == ENOENT) return;
  // A folder of PATH that is not accessible, or not a folder, is an error too, as is a long name.
  const std::vector<std::string> programs = external_commands();
  if (std::find(programs.begin(), programs.end(), command) == programs.end()) return;
  throw UsageError("cannot run " + program + ": " + std::generic_category().message(code));
}

}  // namespace fathom::cli
