// For tests whose subject depends on who runs them.
//
// Root reads every directory, so "permission denied" needs another user; mounts need namespaces.
// Both run in a forked child, which has only the calling thread: call them before starting others,
// or touch nothing that those may hold locked.
//
// A failed EXPECT_ in the child is printed but does not fail the test: let the body throw, and
// expect 0.
//
//   tree.chmod("secret", 0);
//   EXPECT_EQ(as_nobody([&] {
//     if (scan(tree.path()).unreadable != 1) throw base::Error("the scan missed it");
//   }), 0);

#pragma once

#include <functional>
#include <string>

namespace fathom::testing {

// Whether the effective user is root.
bool is_root() noexcept;

// Whether in_mount_namespace() works here. Containers often forbid it. Found once by trying.
bool can_use_namespaces();

// Runs the body in a child process that is user and group 65534, without further groups; in one of
// the same user where that is not root.
//
// Returns the child's exit code: 0, or 1 if the body threw (its what() goes to stderr), or 2 if the
// user could not be changed; 128 + the signal that ended it. Throws base::SystemError if there can
// be no child.
int as_nobody(const std::function<void()>& body);

// Whether the body of as_nobody() can enter the folder: where $TMPDIR is one's own it cannot.
bool nobody_can_enter(const std::string& folder);

// Runs the body in a child process with mounts of its own, where it may mount(2); no one else sees
// those. Where this user is not root, the child is root of its own user namespace. Returns and
// throws as as_nobody() does; 2 if there can be no namespace.
int in_mount_namespace(const std::function<void()>& body);

}  // namespace fathom::testing
