/** What each entry of this package is for; `package.json` has the same ones. */
const entries: readonly (readonly [name: string, what: string])[] = [
  ["palimpsest/agent", "the agent: sessions, tools, permissions"],
  ["palimpsest/hooks", "events of a session"],
  ["palimpsest/files", "files as a read tool shows them"],
  ["palimpsest/stores", "transcripts in files and in memory"],
  ["palimpsest/postgres", "transcripts in PostgreSQL, for many machines"],
  ["palimpsest/recall", "finding again what was compacted away"],
  ["palimpsest/telemetry", "spans and metrics for OpenTelemetry"],
  ["palimpsest/replay", "recorded conversations under other policies"],
  ["palimpsest/simulator", "the simulated Messages API"],
  ["palimpsest/providers", "calls to models"],
];

throw new Error(
  `"palimpsest" itself exports nothing; import one of its parts: ${entries
    .map(([name, what]) => `"${name}" (${what})`)
    .join(", ")}. The engine is "@palimpsest/core".`,
);
