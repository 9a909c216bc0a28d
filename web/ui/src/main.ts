// The entry point of the page of fathom serve.

import { startPage } from "./page";

// The server has set the token as a cookie. Remove it from the address before anything else, so that
// it is not visible on the screen and is not saved in bookmarks or the history.
const address = new URL(window.location.href);
if (address.searchParams.has("token")) {
  address.searchParams.delete("token");
  window.history.replaceState(null, "", address);
}

startPage();
