// Checks a pointer for null after dereferencing it, as the kernel's tun driver once did. The
// compiler may remove the check, because the dereference implies the answer.
//
//   gcc: SIGSEGV; exit 3
//   clang: SIGSEGV; exit 7
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
  return 3;  // without optimization unreachable; with it, reached by a null pointer
}

int main(int argc, char**) {
  Tunnel tunnel;
  return poll(argc > 1 ? &tunnel : nullptr);
}
