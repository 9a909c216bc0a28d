// Faulty calls: the n-th call of a kind fails, or does less than it was asked for.
//
// faulty_calls.cc has the functions of the C library that the server calls; those of the clients in
// client.h are others.

#pragma once

#include <cstddef>
#include <string>

namespace fathom::rt::testing {

enum class Call { recv, send, accept4, epoll_ctl, epoll_wait };

// A call that does one byte, instead of failing.
inline constexpr int kShort = 0;

struct Fault {
  Call call = Call::recv;
  std::size_t number = 0;  // from 0 on
  int error = kShort;
};

// From now on. The counts begin anew.
void plan(const Fault& fault);
void plan_nothing();
// Whether the planned call has come.
bool has_come();

}  // namespace fathom::rt::testing
