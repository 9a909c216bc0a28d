// LastWords: prints why std::terminate() ended the program, then calls std::abort().
//
// It prints the exception with its message, where it was thrown and the stack, as error_text()
// does. If the exception has no trace, or there is no exception, it prints the stack of
// std::terminate(), which is also that of the throw if nothing has handled the exception. If
// something else ends the program while an exception is being handled (such as the destructor of a
// std::thread that was not joined), it says so and prints the stack.
//
//   int main() {
//     report_uncaught();
//   }

#pragma once

namespace fathom::base {

struct LastWordsOptions {
  bool color = false;
  int descriptor = 2;
};

// Replaces the handler of std::set_terminate() for the whole program.
void report_uncaught(LastWordsOptions options = {});

}  // namespace fathom::base
