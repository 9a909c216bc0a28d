// Token: making tokens from getrandom() or /dev/urandom, and comparing them.

#include "access/token.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

#include "fathom/base/error.h"
#include "fathom/base/fd.h"
#include "fathom/base/retry.h"

namespace fathom::web {

namespace {

// Both calls return so few bytes completely, unless a signal interrupts them.
ssize_t get_random(void* bytes, std::size_t size) {
  const ssize_t got = base::retry([&] { return ::getrandom(bytes, size, 0); });
  if (got >= 0 || errno != ENOSYS) return got;  // Linux before 3.17 lacks it
  const base::Fd device(base::retry([] { return ::open("/dev/urandom", O_RDONLY | O_CLOEXEC); }));
  if (!device) return -1;
  return base::retry([&] { return ::read(device.get(), bytes, size); });
}

template <std::size_t size>
std::array<unsigned char, size> random_bytes() {
  std::array<unsigned char, size> random{};
  const ssize_t got = get_random(random.data(), random.size());
  if (got != static_cast<ssize_t>(random.size())) {
    throw base::SystemError("cannot get random numbers", got < 0 ? errno : EIO);
  }
  return random;
}

}  // namespace

std::string make_token() {
  constexpr std::size_t kBytes = 32;
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const auto random = random_bytes<kBytes>();
  std::string token;
  unsigned bits = 0;
  unsigned count = 0;
  for (const unsigned char byte : random) {
    bits = bits << 8 | byte;
    for (count += 8; count >= 6; count -= 6) token += kDigits[bits >> (count - 6) & 63];
  }
  token += kDigits[bits << (6 - count) & 63];
  return token;
}

std::string make_code() {
  constexpr std::size_t kLength = 8;
  constexpr std::string_view kDigits = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";  // 32 of them
  std::string code;
  for (const unsigned char byte : random_bytes<kLength>()) {
    if (code.size() == kLength / 2) code += '-';
    code += kDigits[byte % kDigits.size()];
  }
  return code;
}

bool is_same_secret(std::string_view guess, std::string_view secret) {
  if (guess.size() != secret.size()) return false;
  // Volatile, so that the compiler does not make the loop stop at the first difference.
  volatile unsigned char difference = 0;
  for (std::size_t i = 0; i < secret.size(); ++i) {
    difference = difference | static_cast<unsigned char>(guess[i] ^ secret[i]);
  }
  return difference == 0;
}

}  // namespace fathom::web
