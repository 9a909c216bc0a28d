// Faulty calls: the n-th call of a kind fails, or does less than requested.
//
// The linker replaces the functions that the server calls by those of faulty_calls.cc; the clients
// in client.h use other functions.

#pragma once

#include <cstddef>
#include <string>

namespace fathom::rt::testing {

enum class Call { recv, send, accept4, epoll_ctl, epoll_wait };

// Instead of failing, the call transfers a single byte.
inline constexpr int kShort = 0;

struct Fault {
  Call call = Call::recv;
  std::size_t number = 0;  // counts from 0
  int error = kShort;
};

// Plans a fault and resets the counts.
void plan(const Fault& fault);
void plan_nothing();
// Whether the planned fault has occurred.
bool has_come();

}  // namespace fathom::rt::testing
