const source = (file) => `packages/palimpsest/src/${file}`;

export const surfaceFaults = [
  {
    name: "first-message-is-not-looked-at",
    invariant: "what is never compacted has a recall of 100%",
    runs: ["invariants"],
    edits: [
      {
        file: source("replay/measures/recall.ts"),
        from: "const texts = context.of(messages);",
        to: "const texts = context.of(messages.slice(1));",
      },
    ],
  },
  {
    name: "known-path-counts-as-missing",
    invariant: "nothing forgotten: no turn is blind, and the full cost is the cost",
    runs: ["invariants"],
    edits: [
      {
        file: source("replay/forgetting/blind-turn.ts"),
        from: "if (context.lines.has(key)) continue;",
        to: "if (context.lines.has(key) && !isReplaced) continue;",
      },
    ],
  },
  {
    name: "judge-asks-the-engine",
    invariant: "the judge of forgetting shares no code with the engine",
    runs: ["invariants"],
    edits: [
      {
        file: source("replay/forgetting/lines.ts"),
        from: 'import { collapseSpace } from "../measures/collapse-space.js";',
        to: 'import { hashValue } from "@palimpsest/core/engine";\nimport { collapseSpace } from "../measures/collapse-space.js";',
      },
      {
        file: source("replay/forgetting/lines.ts"),
        from: "keys.push(keyOf(line));",
        to: "keys.push(keyOf(hashValue(line)));",
      },
    ],
  },
  {
    name: "row-of-the-cursor-counts-after-a-resize",
    invariant: "what the screen commits is in the scrollback once and in order, whatever happens",
    runs: ["screen"],
    edits: [
      {
        file: source("cli/screen/writer/screen-writer.ts"),
        from: "const before = this.#shown.slice(0, this.#row);",
        to: "const before = this.#shown.slice(0, this.#row + 1);",
      },
    ],
  },
  {
    name: "line-that-stays-is-not-compared",
    invariant: "what the screen commits is in the scrollback once and in order, whatever happens",
    runs: ["screen"],
    edits: [
      {
        file: source("cli/screen/writer/screen-writer.ts"),
        from: "if (index < old.length && old[index] === line) continue;",
        to: "if (index < old.length && old[index]?.length === line.length) continue;",
      },
    ],
  },
  {
    name: "sort-may-write",
    invariant: "no command that runs unasked does what no rule allows",
    runs: ["shell-fuzz"],
    edits: [
      {
        file: source("agent/shell/read-only-programs.ts"),
        from: 'short: "bcCdfghik:mMnrRst:uVz",',
        to: 'short: "bcCdfghik:mMno:rRst:uVz",',
      },
    ],
  },
  {
    name: "host-goes-first",
    invariant: "what goes through the gateway is the same on both sides, byte for byte",
    runs: ["gateway-bytes"],
    edits: [
      {
        file: source("gateway/http/raw-headers.ts"),
        from: 'passed.push(name, lower === "host" && host !== undefined ? host : value);',
        to: 'if (lower === "host") passed.unshift(name, host ?? value);\n    else passed.push(name, value);',
      },
    ],
  },
  {
    name: "header-names-in-small-letters",
    invariant: "what goes through the gateway is the same on both sides, byte for byte",
    runs: ["gateway-bytes"],
    edits: [
      {
        file: source("gateway/http/raw-headers.ts"),
        from: 'passed.push(name, lower === "host"',
        to: 'passed.push(lower, lower === "host"',
      },
    ],
  },
];
