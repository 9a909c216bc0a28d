// SyslogSocket: sends lines to the system's log, without waiting and without allocating.
//
// Each line is one datagram, as syslog(3) sends it, but without a time: "<10>program[123]: line",
// which is facility user and priority crit. The listener adds the time of its arrival: the local
// time would need the time zone, which libc reads under a lock and may allocate for. If nobody
// listens, or the listener's queue is full, the line is dropped: a program that reports an error
// could not do more.
//
// For one thread.

#pragma once

#include <cstddef>
#include <string_view>

#include "fathom/base/fd.h"

namespace fathom::base {

class SyslogSocket {
 public:
  // The longest datagram; RFC 3164 allows no more.
  static constexpr std::size_t kMostBytes = 1024;

  // Whether a socket can have this path.
  [[nodiscard]] static bool is_path(std::string_view path) noexcept;

  // `path` is that of the listener's socket, usually /dev/log. Of the program's name, the first 32
  // bytes are used; characters that would end it in the log become underscores.
  SyslogSocket(std::string_view path, std::string_view program) noexcept;

  // A line that does not fit is cut.
  void send(std::string_view line) noexcept;

 private:
  static constexpr std::size_t kMostProgram = 32;

  Fd socket_;  // empty if nobody listens
  char program_[kMostProgram + 1] = {};
};

}  // namespace fathom::base
