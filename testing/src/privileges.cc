// Privileges: forking, changing the user, and entering namespaces.

#include "fathom/testing/privileges.h"

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <string>

#include "fathom/base/error.h"
#include "fathom/base/fd.h"
#include "fathom/base/retry.h"

namespace fathom::testing {
namespace {

constexpr uid_t kNobody = 65534;

enum ExitCode { kDone = 0, kThrew = 1, kNotPrepared = 2 };

int run_child(const std::function<bool()>& prepare, const std::function<void()>& body) {
  if (!prepare()) {
    std::perror("cannot prepare the child process");
    return kNotPrepared;
  }
  try {
    body();
    return kDone;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "in the child process: %s\n", error.what());
  } catch (...) {
    std::fprintf(stderr, "in the child process: an unknown exception\n");
  }
  return kThrew;
}

int in_child(const std::function<bool()>& prepare, const std::function<void()>& body) {
  std::fflush(nullptr);  // otherwise the child would print our buffers again
  const pid_t child = ::fork();
  if (child < 0) throw base::SystemError("cannot fork", errno);
  if (child == 0) {
    const int code = run_child(prepare, body);
    std::fflush(nullptr);
    ::_exit(code);  // no destructors: the parent's trees must stay
  }
  int status = 0;
  if (base::retry([&] { return ::waitpid(child, &status, 0); }) < 0) {
    throw base::SystemError("cannot wait for a child", errno);
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool become_nobody() {
  if (!is_root()) return true;
  return ::setgroups(0, nullptr) == 0 && ::setgid(kNobody) == 0 && ::setuid(kNobody) == 0;
}

bool write_file(const char* path, const std::string& text) {
  const base::Fd file(::open(path, O_WRONLY | O_CLOEXEC));
  return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// A user other than root becomes root of a user namespace, in which mounting is allowed.
bool enter_user_namespace() {
  const std::string user = std::to_string(::geteuid());
  const std::string group = std::to_string(::getegid());
  return ::unshare(CLONE_NEWUSER) == 0 && write_file("/proc/self/setgroups", "deny") &&
         write_file("/proc/self/uid_map", "0 " + user + " 1") &&
         write_file("/proc/self/gid_map", "0 " + group + " 1");
}

bool enter_mount_namespace() {
  if (!is_root() && !enter_user_namespace()) return false;
  // Private, so that mounts made here do not propagate to the original namespace.
  return ::unshare(CLONE_NEWNS) == 0 &&
         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

bool try_namespaces() {
  const auto prepare = [] {
    return enter_mount_namespace() && ::mount("tmpfs", "/tmp", "tmpfs", 0, nullptr) == 0;
  };
  return in_child(prepare, [] {}) == kDone;
}

}  // namespace

bool is_root() noexcept {
  return ::geteuid() == 0;
}

bool can_use_namespaces() {
  static const bool can = try_namespaces();
  return can;
}

int as_nobody(const std::function<void()>& body) {
  return in_child(become_nobody, body);
}

bool nobody_can_enter(const std::string& folder) {
  const auto enter = [&] {
    if (::access(folder.c_str(), X_OK) != 0)
      throw base::SystemError("cannot enter " + folder, errno);
  };
  return as_nobody(enter) == kDone;
}

int in_mount_namespace(const std::function<void()>& body) {
  return in_child(enter_mount_namespace, body);
}

}  // namespace fathom::testing
