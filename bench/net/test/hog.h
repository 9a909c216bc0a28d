// Hog: a client that sends and does not read, until finish() is called.
//
//   Hog hog(port);
//   while (hog.send()) ...          // until the server takes no more
//   hog.finish();
//   EXPECT_TRUE(hog.got_all_back());

#pragma once

#include <cstddef>
#include <cstdint>

#include "fathom/base/fd.h"

namespace fathom::bench {

class Hog {
 public:
  explicit Hog(std::uint16_t port);

  // Sends as much as possible without waiting; returns whether that was anything.
  bool send();
  std::size_t sent() const noexcept { return sent_; }

  // Ends its stream.
  void finish();
  // Receives until the server ends the connection; returns whether that was exactly what was sent.
  bool got_all_back();

 private:
  base::Fd socket_;
  std::size_t sent_ = 0;
};

}  // namespace fathom::bench
