// UnixSocket: a listening socket of the Unix domain, and the file by which it is found.

#pragma once

#include <sys/types.h>
#include <sys/un.h>

#include <string>

namespace fathom::web {

class UnixSocket {
 public:
  // Only the owner may connect, from the first moment on. What a server left behind that could not
  // clean up is replaced. Requires that no other thread makes files meanwhile (umask). Throws
  // base::Error and base::SystemError.
  explicit UnixSocket(const std::string& path);
  ~UnixSocket();
  UnixSocket(const UnixSocket&) = delete;
  UnixSocket& operator=(const UnixSocket&) = delete;

  // The listening socket, which is the caller's from then on.
  [[nodiscard]] int release();

  // Removes the file, if it is still this socket's. To be called before the socket is closed: from
  // then on another server may take the file for one that was left behind, and make its own.
  void remove() noexcept;

 private:
  void remove_dead(const sockaddr_un& address) const;

  const std::string path_;
  int descriptor_ = -1;
  bool made_ = false;
  dev_t device_ = 0;  // of the file, as is the next
  ino_t inode_ = 0;
};

}  // namespace fathom::web
