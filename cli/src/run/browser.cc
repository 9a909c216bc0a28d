// Browser: writes a private file that redirects to the address, and opens it with xdg-open.

#include "run/browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <vector>

#include "fathom/base/fd.h"
#include "term/message.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): glibc has it, others do not

namespace fathom::cli {

namespace {

constexpr const char* kName = "/open.html";

bool is_set(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

// Creates a private directory in XDG_RUNTIME_DIR, TMPDIR or /tmp, whichever works first. Empty on
// failure.
std::string make_folder() {
  std::vector<std::string> places;
  for (const char* const name : {"XDG_RUNTIME_DIR", "TMPDIR"}) {
    if (is_set(name)) places.emplace_back(std::getenv(name));
  }
  places.emplace_back("/tmp");
  for (std::string& folder : places) {
    folder += "/fathom-XXXXXX";
    if (::mkdtemp(folder.data()) != nullptr) return folder;
  }
  return "";
}

// Starts xdg-open with the argument.
bool spawn_opener(std::string argument) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  // Discards its output, and keeps it from reading the input of the terminal.
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  // Nothing waits for the child: with SIGCHLD ignored, it does not become a zombie.
  ::signal(SIGCHLD, SIG_IGN);
  sigset_t ignored_here;
  sigemptyset(&ignored_here);
  sigaddset(&ignored_here, SIGPIPE);
  sigaddset(&ignored_here, SIGCHLD);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &ignored_here);
  // Its own process group: Ctrl-C is for the server only.
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::string program = "xdg-open";
  const std::array<char*, 3> arguments = {program.data(), argument.data(), nullptr};
  pid_t child = 0;
  const int error =
      ::posix_spawnp(&child, program.c_str(), &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error == 0;
}

}  // namespace

bool has_desktop() {
  return is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
}

Browser::~Browser() {
  if (folder_.empty()) return;
  ::unlink((folder_ + kName).c_str());
  ::rmdir(folder_.c_str());
}

bool Browser::open(const std::string& address) {
  return write(address) && spawn_opener(folder_ + kName);
}

bool Browser::write(const std::string& address) {
  folder_ = make_folder();
  if (folder_.empty()) return false;
  const base::Fd file(
      ::open((folder_ + kName).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  // An address does not contain characters that need escaping in HTML.
  return file && write_fully(file.get(),
                             "<!doctype html><meta charset=utf-8><title>Fathom</title>"
                             "<meta name=referrer content=no-referrer>"
                             "<meta http-equiv=refresh content=\"0; url=" +
                                 address + "\"><a href=\"" + address + "\">Fathom</a>\n") == 0;
}

}  // namespace fathom::cli
