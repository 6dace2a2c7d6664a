/** Where the page was opened without what lets it ask. */
export function NoToken() {
  return (
    <main class="no-token">
      <h1>This address lacks its token</h1>
      <p>
        The inspector shows conversations to whoever started it only. Open the whole address that{" "}
        <code>palimpsest inspect</code> has printed, from <code>http://</code> to its end: the part after{" "}
        <code>#</code> is the key to it.
      </p>
    </main>
  );
}
