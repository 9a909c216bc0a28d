// Privileges: helpers for tests that depend on the user who runs them.
//
// Root can read every directory, so "permission denied" needs another user; mounts need namespaces.
// Both run in a forked child, which only has the calling thread: call them before starting other
// threads, or use nothing that those may have locked.
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

// Whether in_mount_namespace() works here. Containers often forbid it. Determined once, by trying.
bool can_use_namespaces();

// Runs the body in a child process as user and group 65534, without supplementary groups; as the
// same user if that is not root.
//
// Returns the child's exit code: 0, or 1 if the body threw (its what() is printed to stderr), or 2
// if the user could not be changed; 128 + the signal number if a signal ended it. Throws
// base::SystemError if the child cannot be created.
int as_nobody(const std::function<void()>& body);

// Whether the body of as_nobody() can enter the folder: it cannot if $TMPDIR is private to a user.
bool nobody_can_enter(const std::string& folder);

// Runs the body in a child process with its own mount namespace, where it may call mount(2); other
// processes do not see these mounts. If this user is not root, the child is root of its own user
// namespace. Returns and throws like as_nobody(); 2 if the namespace cannot be created.
int in_mount_namespace(const std::function<void()>& body);

}  // namespace fathom::testing
