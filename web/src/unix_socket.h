// UnixSocket: a listening Unix domain socket, and its file.

#pragma once

#include <sys/types.h>
#include <sys/un.h>

#include <string>

#include "fathom/base/fd.h"

namespace fathom::web {

class UnixSocket {
 public:
  // Only the owner can connect, from the beginning. Replaces a socket that a crashed server left
  // behind. Requires that no other thread creates files at the same time, because it sets the
  // umask. Throws base::Error and base::SystemError.
  explicit UnixSocket(const std::string& path);
  ~UnixSocket();
  UnixSocket(const UnixSocket&) = delete;
  UnixSocket& operator=(const UnixSocket&) = delete;

  // Passes the ownership of the listening socket to the caller.
  [[nodiscard]] int release();

  // Removes the file if it still belongs to this socket. Call it before closing the socket:
  // afterwards another server may take the file for a stale one and replace it by its own.
  void remove() noexcept;

 private:
  void remove_dead(const sockaddr_un& address) const;

  const std::string path_;
  base::Fd socket_;
  bool made_ = false;
  dev_t device_ = 0;  // identifies the file, with inode_
  ino_t inode_ = 0;
};

}  // namespace fathom::web
