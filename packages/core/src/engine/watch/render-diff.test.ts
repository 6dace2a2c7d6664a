import { expect, it } from "vitest";
import { createMemoryBreakDiffStore } from "../ports/break-diff-store.js";
import { assistant, conversation, request, tool, usage, user, watching } from "./testing/sample.js";
import type { WatchedCall } from "./watched-call.js";
import { writeDiffs } from "./write-diffs.js";

/** The text that is kept of a break between these two requests. */
async function diffOf(
  first: ReturnType<typeof request>,
  next: ReturnType<typeof request>,
  {
    calls = [{}, {}],
    maxBytes = 65_536,
  }: { calls?: readonly Partial<WatchedCall>[]; maxBytes?: number } = {},
): Promise<string> {
  const diffs = createMemoryBreakDiffStore();
  const watched = watching({ diffs: writeDiffs(diffs), settings: { cacheBreakDiffBytes: maxBytes } });
  watched.call(first, usage(0, 50_000), { call: calls[0] ?? {} });
  watched.call(next, usage(0, 52_000), { call: calls[1] ?? {} });
  await watched.watch.flush();
  return diffs.diffs[0]?.text ?? "";
}

it("sections of the system prompt, by their names", async () => {
  const sections = (day: string) => [
    { name: "rules", text: "Be kind." },
    { name: "env", text: `Working directory: /home\nToday: ${day}` },
  ];
  const text = await diffOf(request(3, { system: "a" }), request(5, { system: "b" }), {
    calls: [{ sections: sections("Monday") }, { sections: sections("Tuesday") }],
  });
  expect(text).toContain("## system prompt, section env\n38 → 39 characters, the first difference at 32\n");
  expect(text).toContain(
    "- Working directory: /home\n- Today: Monday\n+ Working directory: /home\n+ Today: Tuesday\n",
  );
  expect(text).not.toContain("Be kind");
});

it("the first block of a message that is another", async () => {
  const changed = [user("question 0"), assistant("another"), ...conversation(5).slice(2)];
  const text = await diffOf(request(3), request(changed));
  expect(text).toContain("## message 1 (assistant), block 0\n");
  expect(text).toContain("- answer 1\n+ another\n");
});

it("fields of the body, and tools that came or went", async () => {
  const text = await diffOf(
    request(3),
    request(5, { tool_choice: { type: "any" }, tools: [tool("Edit"), tool("Write")] }),
  );
  expect(text).toContain("## tool_choice\n");
  expect(text).toContain('"type": "any"');
  expect(text).toMatch(/## tool Read\n\d+ → 0 characters.*\n- \{/);
  expect(text).toMatch(/## tool Write\n0 → \d+ characters.*\n\+ \{/);
});

it("is bounded, whatever changed", async () => {
  const many = Array.from({ length: 500 }, (_, index) => tool(`tool${index}`, "ü".repeat(20_000)));
  const text = await diffOf(request(3), request(5, { tools: many }), { maxBytes: 3000 });
  expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(3000);
  expect(text.startsWith("Cache break in repl_main_thread")).toBe(true);
});
