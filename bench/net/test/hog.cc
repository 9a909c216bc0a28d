// Hog: a client that sends a pseudo-random stream and compares what comes back.

#include "net/test/hog.h"

#include <sys/socket.h>
#include <sys/types.h>

#include <cstring>
#include <random>
#include <vector>

#include "net/client/connection.h"

namespace fathom::bench {

namespace {

constexpr std::size_t kPiece = 64 * 1024;
// The stream repeats only after so many bytes: a prime, so that it is not aligned with any buffer.
constexpr std::size_t kPeriod = 1'000'003;

// A piece of the stream from this position on.
const char* bytes_at(std::size_t place) {
  static const std::vector<char> row = [] {
    std::mt19937_64 random(1);
    std::vector<char> bytes(kPeriod + kPiece);
    for (std::size_t i = 0; i < kPeriod; ++i) bytes[i] = static_cast<char>(random());
    std::memcpy(bytes.data() + kPeriod, bytes.data(), kPiece);
    return bytes;
  }();
  return row.data() + place % kPeriod;
}

}  // namespace

// Uses small buffers, so that the server soon has to stop receiving.
Hog::Hog(std::uint16_t port) : socket_(connect_to(port)) {
  const int small = 128 * 1024;
  for (const int buffer : {SO_SNDBUF, SO_RCVBUF}) {
    ::setsockopt(socket_.get(), SOL_SOCKET, buffer, &small, sizeof small);
  }
}

bool Hog::send() {
  const std::size_t before = sent_;
  for (;;) {
    const ssize_t count =
        ::send(socket_.get(), bytes_at(sent_), kPiece, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count <= 0) return sent_ > before;
    sent_ += static_cast<std::size_t>(count);
  }
}

void Hog::finish() {
  ::shutdown(socket_.get(), SHUT_WR);
}

bool Hog::got_all_back() {
  std::vector<char> piece(kPiece);
  std::size_t received = 0;
  for (;;) {
    const ssize_t count = ::recv(socket_.get(), piece.data(), kPiece, 0);
    if (count < 0) return false;
    if (count == 0) return received == sent_;
    const auto bytes = static_cast<std::size_t>(count);
    if (std::memcmp(piece.data(), bytes_at(received), bytes) != 0) return false;
    received += bytes;
  }
}

}  // namespace fathom::bench
