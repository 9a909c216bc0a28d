// UnixSocket: bind, listen, and replacement of stale sockets.

#include "unix_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "fathom/base/error.h"

namespace fathom::web {

namespace {

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    throw base::Error("cannot listen on " + path + ": the limit for the path of a socket is " +
                      std::to_string(sizeof(address.sun_path) - 1) + " bytes");
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

const sockaddr* plain(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

}  // namespace

UnixSocket::UnixSocket(const std::string& path) : path_(path) {
  const sockaddr_un address = address_of(path);
  remove_dead(address);
  base::Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) throw base::SystemError("cannot create a socket", errno);
  const mode_t before = ::umask(0177);
  int error = ::bind(socket.get(), plain(address), sizeof address) == 0 ? 0 : errno;
  ::umask(before);
  struct stat file {};
  if (error == 0 && ::lstat(path.c_str(), &file) == 0) {
    made_ = true;
    device_ = file.st_dev;
    inode_ = file.st_ino;
  }
  if (error == 0 && ::listen(socket.get(), SOMAXCONN) != 0) error = errno;
  if (error == 0) {
    socket_ = std::move(socket);
    return;
  }
  remove();
  if (error == EADDRINUSE) throw base::Error("cannot listen on " + path + ": it already exists");
  throw base::SystemError("cannot listen on " + path, error);
}

UnixSocket::~UnixSocket() {
  remove();
}

int UnixSocket::release() {
  return socket_.release();
}

void UnixSocket::remove() noexcept {
  struct stat file {};
  if (!std::exchange(made_, false) || ::lstat(path_.c_str(), &file) != 0) return;
  if (file.st_dev == device_ && file.st_ino == inode_) ::unlink(path_.c_str());
}

void UnixSocket::remove_dead(const sockaddr_un& address) const {
  struct stat there {};
  if (::lstat(path_.c_str(), &there) != 0 || !S_ISSOCK(there.st_mode)) return;
  // Does not block: EAGAIN means that the queue of a live server is full.
  const base::Fd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!probe) return;
  const bool connected = ::connect(probe.get(), plain(address), sizeof address) == 0;
  const int error = errno;
  if (connected || error == EAGAIN) {
    throw base::Error("cannot listen on " + path_ + ": another server is listening on it");
  }
  if (error == ECONNREFUSED) ::unlink(path_.c_str());
}

}  // namespace fathom::web
