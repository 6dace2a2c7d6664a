const KEY = "palimpsest-inspector-token";

/** What the address that was opened says, once: it is taken out of the address, so that nobody copies or photographs the token. */
export interface Opening {
  readonly token: string | null;
  /** The conversation to open at once. */
  readonly conversation: string | null;
}

/** The token of the address, else the one that this tab has had before. */
export function takeOpening(): Opening {
  const given = new URLSearchParams(location.hash.replace(/^#/, ""));
  const token = given.get("token");
  if (token === null) return { token: sessionStorage.getItem(KEY), conversation: null };
  sessionStorage.setItem(KEY, token);
  history.replaceState(null, "", location.pathname + location.search);
  return { token, conversation: given.get("conversation") };
}
