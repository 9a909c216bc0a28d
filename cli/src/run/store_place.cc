// StorePlace: the default directory, and the errors of opening a store.

#include "run/store_place.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "fathom/base/path.h"
#include "term/message.h"

namespace fathom::cli {

namespace {

// The value of a variable that is an absolute path; others are ignored, as the XDG specification
// requires.
std::string_view directory_in(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value == '/' ? std::string_view(value) : std::string_view();
}

}  // namespace

std::string store_path(const CommonRequest& request) {
  if (request.store) return *request.store;
  if (::geteuid() == 0) return "/var/lib/fathom/snapshots";
  constexpr std::string_view kFolder = "/fathom/snapshots";
  if (const auto data = directory_in("XDG_DATA_HOME"); !data.empty()) {
    return std::string(data) += kFolder;
  }
  if (const auto home = directory_in("HOME"); !home.empty()) {
    return (std::string(home) += "/.local/share") += kFolder;
  }
  throw UsageError("HOME is not set; name the directory of snapshots with --store DIR");
}

bool is_full(const base::SystemError& error) {
  return error.code() == ENOSPC || error.code() == EDQUOT;
}

store::Store open_store(const CommonRequest& request) {
  const std::string path = store_path(request);
  try {
    return store::Store::open(path);
  } catch (const base::SystemError& error) {
    if (error.code() != ENOENT) throw UsageError(error.what());
    throw UsageError("there are no snapshots in " + path +
                     ": the directory does not exist; `fathom snapshot` keeps the first one");
  } catch (const base::Error& error) {
    throw UsageError(error.what());
  }
}

store::Store open_or_create_store(const CommonRequest& request) {
  try {
    return store::Store::open_or_create(store_path(request));
  } catch (const UsageError&) {
    throw;
  } catch (const base::SystemError& error) {
    if (is_full(error)) throw;
    throw UsageError(error.what());
  } catch (const base::Error& error) {
    throw UsageError(error.what());
  }
}

void require_writable_store(const CommonRequest& request) {
  for (std::string path = store_path(request);;) {
    if (::access(path.empty() ? "." : path.c_str(), W_OK | X_OK) == 0) return;
    if (errno != ENOENT || path.empty()) {
      throw UsageError(base::SystemError("cannot write to " + path, errno).what());
    }
    while (path.ends_with('/')) path.pop_back();
    path = base::folder_of(path);
  }
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "";
  return name.data();
}

}  // namespace fathom::cli
