import { expect, it } from "vitest";
import { pathsNamedIn } from "./named-paths.js";

const paths = (text: string): readonly string[] => pathsNamedIn(text).map(({ path }) => path);

it("finds paths, however they are set into a text", () => {
  expect(
    paths(
      "In `src/app.ts:12-20`, (lib/util.go), **docs/a.md**: see ~/notes, ./run, /home/me/bin/tool and C:\\src\\x.cs. " +
        '"packages/core/index.ts#L4", @web/main.tsx, config.json',
    ),
  ).toEqual([
    "src/app.ts",
    "lib/util.go",
    "~/notes",
    "./run",
    "/home/me/bin/tool",
    "C:\\src\\x.cs",
    "packages/core/index.ts",
    "web/main.tsx",
    "config.json",
  ]);
});

it.each([
  "https://example.com/a/index.html and www.example.com/x.js",
  "github.com/owner/repo/main.go",
  "and/or, either/or, TCP/IP, 1/2, 24/7",
  "version 1.2.3, v2.0.0-rc.1, 3.11",
  "application/json, text/html, application/vnd.api+json",
  "2026/11/15, 15.11.2026",
  "GET /api/users/:id and /compact and /v1/messages",
  "Node.js, Next.js, Vue.js and D3.js",
  "response.json(), path.join(a)",
  "src/**/*.ts, {a,b}.ts, <name>.md, ${name}.json, test_*.py",
  "someone@example.org, i.e. e.g. etc.",
  "a/b/feature-branch, origin/main",
  "CLAUDE.md and AGENTS.md",
  "src/very/long/pa…",
])("leaves alone: %s", (text) => {
  expect(paths(text)).toEqual([]);
});

// Looking back at every character would take minutes.
it("leaves alone odd texts without end", () => {
  for (const piece of ["x", "x.", "a/", "a.b ", ":", ".", `${".".repeat(390)} `, `${"!".repeat(390)}x `]) {
    expect(paths(piece.repeat(1_000_000 / piece.length))).toEqual([]);
  }
});
