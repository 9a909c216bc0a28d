// Asks whether a pointer is null after it was followed: the kernel's tun driver once did. The
// question may be left out of the program, since the answer was promised before.
//
//   asan: runtime error: member access within null pointer of type 'struct Tunnel'

struct Socket {
  int number = 0;
};
struct Tunnel {
  Socket* socket = nullptr;
};

__attribute__((noinline)) int poll(Tunnel* tunnel) {
  [[maybe_unused]] Socket* const socket = tunnel->socket;
  if (tunnel == nullptr) return 7;
  return 3;  // without optimization nobody comes here; with it, whoever has no tunnel
}

int main(int argc, char**) {
  Tunnel tunnel;
  return poll(argc > 1 ? &tunnel : nullptr);
}
