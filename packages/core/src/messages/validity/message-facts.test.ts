import { describe, expect, it } from "vitest";
import { findProblems } from "./find-problems.js";
import { factsOf } from "./message-facts.js";

describe("factsOf", () => {
  it("finds the facts of a message object once", () => {
    const message = { role: "user", content: [{ type: "text", text: "x" }] };
    expect(factsOf(message)).toBe(factsOf(message));
    expect(factsOf({ ...message })).not.toBe(factsOf(message));
  });

  it("does not look into a message again, whatever the model, the options and the place", () => {
    let reads = 0;
    const block = new Proxy(
      { type: "text", text: "x" },
      {
        get(target, key, receiver) {
          reads += 1;
          return Reflect.get(target, key, receiver) as unknown;
        },
      },
    );
    const message = { role: "user", content: [block] };
    const request = { model: "claude-opus-5", max_tokens: 10, messages: [message] };
    expect(findProblems(request)).toEqual([]);
    const before = reads;
    expect(before).toBeGreaterThan(0);
    const longer = {
      ...request,
      model: "claude-haiku-4-5",
      messages: [{ role: "user", content: "y" }, message],
    };
    expect(findProblems(longer, { betas: [], apiVersion: "2023-06-01" })).toEqual([]);
    expect(reads).toBe(before);
  });

  it("keeps facts apart from options: the same message is judged by each", () => {
    const message = { role: "user", content: [{ type: "cache_edits", edits: [] }] };
    const request = { model: "m", max_tokens: 1, messages: [message] };
    expect(findProblems(request, { cacheEdits: true })).toEqual([]);
    expect(findProblems(request).length).toBe(1);
    expect(findProblems(request, { cacheEdits: true })).toEqual([]);
  });

  it("gives the problems of a message the index at which it stands", () => {
    const broken = { role: "user", content: [{ type: "text" }] };
    const request = (messages: readonly unknown[]) => ({ model: "m", max_tokens: 1, messages });
    const message = (index: number): string => `messages.${index}.content.0.text.text: Field required`;
    expect(findProblems(request([broken]))[0]?.message).toBe(message(0));
    expect(findProblems(request([{ role: "user", content: "x" }, broken]))[0]?.message).toBe(message(1));
  });
});
