import { describe, expect, it } from "vitest";
import { isMainThread } from "../../messages/call/query-source.js";
import { cleanUpAfterCompaction, type CleanupOptions, type CleanupTarget } from "./cleanup.js";

const cleanupTargets: readonly CleanupTarget[] = [
  "clearingState",
  "breakBaseline",
  "userContext",
  "memoryFiles",
  "promptSections",
  "inferredApprovals",
  "speculativeChecks",
  "sessionMessages",
  "tracing",
  "fileContents",
];

function cleanUp(options: Partial<Omit<CleanupOptions, "targets">>) {
  const called: string[] = [];
  const targets = Object.fromEntries(cleanupTargets.map((name) => [name, () => void called.push(name)]));
  const report = cleanUpAfterCompaction({
    source: "repl_main_thread",
    variant: "full",
    writer: "fork",
    ...options,
    targets,
  });
  expect(report.cleared).toEqual(called);
  return report;
}

const own = ["clearingState", "breakBaseline"];
const withoutPrefix = cleanupTargets.filter((name) => name !== "promptSections" && name !== "userContext");

describe("cleaning up after a compaction", () => {
  it.each<[Partial<CleanupOptions>, readonly string[]]>([
    [{}, cleanupTargets],
    [{ source: "repl_main_thread:compact" }, cleanupTargets],
    [{ source: "sdk" }, cleanupTargets],
    [{ source: "compact" }, cleanupTargets],
    [{ variant: "up_to" }, cleanupTargets],
    [{ writer: "extractive" }, cleanupTargets],
    [{ variant: "from" }, withoutPrefix],
    [{ writer: "server" }, withoutPrefix],
    [{ writer: "server", variant: "from", source: "sdk" }, withoutPrefix],
    [{ source: "agent:explore" }, own],
    [{ source: "agent:explore", variant: "from" }, own],
    [{ source: "session_memory" }, own],
    [{ source: "sdk_tool" }, own],
    [{ source: "" }, own],
  ])("%j", (options, cleared) => {
    expect(cleanUp(options).cleared).toEqual(cleared);
  });

  it("says what was left alone, and why", () => {
    expect(cleanUp({ variant: "from" }).kept).toEqual([
      { target: "userContext", because: "prefix" },
      { target: "promptSections", because: "prefix" },
    ]);
    expect(cleanUp({ source: "agent:x" }).kept).toHaveLength(cleanupTargets.length - own.length);
  });

  it("one that throws does not keep the others", () => {
    const error = new Error("stuck");
    const called: string[] = [];
    const report = cleanUpAfterCompaction({
      source: "sdk",
      variant: "full",
      writer: "fork",
      targets: {
        clearingState: () => {
          throw error;
        },
        tracing: () => void called.push("tracing"),
      },
    });
    expect(report).toEqual({
      cleared: ["tracing"],
      kept: [],
      failed: [{ target: "clearingState", error }],
    });
    expect(called).toEqual(["tracing"]);
  });

  it("knows the main thread", () => {
    const sources = ["repl_main_thread", "repl_main_thread:x", "sdk", "compact", "agent:y", "sdk2"];
    expect(sources.map(isMainThread)).toEqual([true, true, true, true, false, false]);
  });
});
