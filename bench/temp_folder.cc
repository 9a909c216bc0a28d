// TempFolder: removal by the destructor, or by a thread that waits for signals.

#include "temp_folder.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <mutex>
#include <system_error>
#include <thread>

#include "fathom/base/error.h"

namespace fathom::bench {

namespace {

std::string template_path() {
  const char* configured = std::getenv("TMPDIR");
  const bool usable = configured != nullptr && configured[0] == '/';
  return std::string(usable ? configured : "/tmp") + "/fathom-bench-XXXXXX";
}

// Held by the thread that removes the folder: the signals' thread keeps it until the process ends.
std::mutex removing;

void remove(const std::string& path) {
  constexpr int kAttempts = 10;  // another thread may still add to it
  std::error_code error;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::filesystem::remove_all(path, error);
    if (!error) return;
  }
  std::fprintf(stderr, "cannot remove %s: %s\n", path.c_str(), error.message().c_str());
}

}  // namespace

TempFolder::TempFolder() : path_(template_path()) {
  if (::mkdtemp(path_.data()) == nullptr) {
    throw base::SystemError("cannot create a directory like " + path_, errno);
  }
  remove_on_signal();
}

TempFolder::~TempFolder() {
  const std::lock_guard lock(removing);
  remove(path_);
}

// Threads that are started later inherit the mask: only the thread here receives the signals.
void TempFolder::remove_on_signal() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int ends : {SIGHUP, SIGINT, SIGTERM}) {
    struct sigaction now {};
    ::sigaction(ends, nullptr, &now);
    if (now.sa_handler != SIG_IGN) sigaddset(&signals, ends);  // nohup ignores SIGHUP
  }
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals, path = path_] {
    int signal = 0;
    if (::sigwait(&signals, &signal) != 0) return;
    const std::lock_guard lock(removing);
    remove(path);
    ::_exit(128 + signal);
  }).detach();
}

}  // namespace fathom::bench
