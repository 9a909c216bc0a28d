// retry: repeats a system call that a signal interrupted.
//
//   const ssize_t length = base::retry([&] { return ::read(file, room, size); });
//   const int file = base::retry_errno([&] { return ::open(path, O_RDONLY); });  // -ENOENT

#pragma once

#include <cerrno>

namespace fathom::base {

// Returns the result of the first call that did not fail with EINTR. errno is that of this call.
template <class Call>
auto retry(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// Like retry(), but returns -errno if the call failed.
template <class Call>
auto retry_errno(Call call) {
  const auto result = retry(call);
  return result < 0 ? static_cast<decltype(call())>(-errno) : result;
}

}  // namespace fathom::base
