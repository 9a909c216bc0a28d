// SyslogSocket: a datagram per line, as RFC 3164 describes it; its section 4.3.2 lets the time be
// added by who receives it.

#include "syslog_socket.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace fathom::base {

namespace {

bool ends_a_tag(char c) noexcept {
  return static_cast<unsigned char>(c) <= ' ' || c == ':' || c == '[' || c == ']' || c == '\x7f';
}

int write_head(char* to, std::size_t room, const char* program) noexcept {
  return std::snprintf(to, room, "<%d>%s[%ld]: ", LOG_USER | LOG_CRIT, program,
                       static_cast<long>(::getpid()));
}

}  // namespace

bool SyslogSocket::is_path(std::string_view path) noexcept {
  return !path.empty() && path.size() < sizeof sockaddr_un{}.sun_path;
}

SyslogSocket::SyslogSocket(std::string_view path, std::string_view program) noexcept {
  const std::size_t length = std::min(program.size(), kMostProgram);
  std::replace_copy_if(program.begin(), program.begin() + length, program_, ends_a_tag, '_');
  if (!is_path(path)) return;
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::copy(path.begin(), path.end(), address.sun_path);
  socket_.reset(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket_) return;
  if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    socket_.reset();
  }
}

void SyslogSocket::send(std::string_view line) noexcept {
  if (!socket_) return;
  char datagram[kMostBytes];
  const int head = write_head(datagram, sizeof datagram, program_);
  if (head < 0) return;
  const auto begin = std::min(static_cast<std::size_t>(head), sizeof datagram);
  const std::size_t length = std::min(line.size(), sizeof datagram - begin);
  std::copy_n(line.begin(), length, datagram + begin);
  static_cast<void>(::send(socket_.get(), datagram, begin + length, MSG_DONTWAIT | MSG_NOSIGNAL));
}

}  // namespace fathom::base
