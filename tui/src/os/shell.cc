// Shell: fork and exec. The child makes only async-signal-safe calls, because other threads exist.

#include "os/shell.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <vector>

#include "fathom/base/retry.h"

extern char** environ;

namespace fathom::tui {

namespace {

constexpr std::string_view kLevel = "FATHOM_LEVEL=";
constexpr int kNoDirectory = 125;
constexpr int kNoShell = 126;

std::vector<std::string> shell_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with(kLevel)) variables.emplace_back(*variable);
  }
  variables.push_back(std::string(kLevel) + std::to_string(browser_level() + 1));
  return variables;
}

}  // namespace

unsigned browser_level() {
  const char* const value = std::getenv("FATHOM_LEVEL");
  unsigned level = 0;
  if (value != nullptr) std::from_chars(value, value + std::string_view(value).size(), level);
  return level;
}

std::string run_shell(const std::string& directory) {
  const char* shell = std::getenv("SHELL");
  if (shell == nullptr || *shell == '\0') shell = "/bin/sh";
  std::vector<std::string> variables = shell_environment();
  std::vector<char*> pointers;
  for (std::string& variable : variables) pointers.push_back(variable.data());
  pointers.push_back(nullptr);
  std::string name = shell;
  char* const arguments[] = {name.data(), nullptr};
  const pid_t child = ::fork();
  if (child < 0) return "no shell: " + std::generic_category().message(errno);
  if (child == 0) {
    if (::chdir(directory.c_str()) != 0) ::_exit(kNoDirectory);
    // Standard input may be a scan that was read, and standard output a pipe.
    const int tty = ::open("/dev/tty", O_RDWR);
    if (tty >= 0) {
      ::dup2(tty, STDIN_FILENO);
      ::dup2(tty, STDOUT_FILENO);
      ::dup2(tty, STDERR_FILENO);
    }
    ::execve(name.c_str(), arguments, pointers.data());
    ::_exit(kNoShell);
  }
  int status = 0;
  base::retry([&] { return ::waitpid(child, &status, 0); });
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoDirectory) {
    return "the directory cannot be entered";
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoShell) return "the shell cannot be run";
  return "";
}

}  // namespace fathom::tui
