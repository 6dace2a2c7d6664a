import { describe, expect, it } from "vitest";
import type { AnthropicMessage } from "@palimpsest/core";
import { fit } from "@palimpsest/core/fit";
import { messagesFromOpenAiChat } from "@palimpsest/core/import";
import { findProblems } from "@palimpsest/core/validity";
import { output } from "./world.js";
import { orLess } from "../../packages/palimpsest/src/testing/share.js";

const settings = { window: 200_000, clearSizeTarget: 10_000 };
const tools = [{ name: "Read", input_schema: { type: "object" } }];

function conversation(rounds: number, bytes: number): readonly AnthropicMessage[] {
  return [
    { role: "user", content: "Read everything. Never touch the tests." },
    ...Array.from({ length: rounds }, (_, round): readonly AnthropicMessage[] => [
      {
        role: "assistant",
        content: [{ type: "tool_use", id: `t${round}`, name: "Read", input: { path: `/src/${round}.ts` } }],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: `t${round}`, content: output(round, bytes) }],
      },
    ]).flat(),
  ];
}

const judge = (messages: readonly AnthropicMessage[]) =>
  findProblems({ model: "claude-opus-5", max_tokens: 1000, messages, tools });

describe("fit", () => {
  it("leaves alone what fits", async () => {
    const { messages, steps, problem } = await fit(conversation(5, 2000), {
      model: "claude-opus-5",
      tools,
    });
    expect(steps).toEqual([]);
    expect(problem).toBeUndefined();
    expect(messages).toHaveLength(11);
    expect(judge(messages)).toEqual([]);
  });

  it("clears, then summarises, until it fits; what it returns can be gone on with", async () => {
    let messages: readonly AnthropicMessage[] = conversation(1, 100);
    const tiers = new Set<string>();
    for (let round = 0; round < orLess(260, 120); round += 1) {
      const id = `n${round}`;
      const grown: readonly AnthropicMessage[] = [
        ...messages,
        {
          role: "assistant",
          content: [
            {
              type: "tool_use",
              id,
              name: round % 6 === 0 ? "Think" : "Read",
              input: { text: output(round, 600) },
            },
          ],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: output(round, 8000) }] },
      ];
      const fitted = await fit(grown, { model: "claude-opus-5", tools, settings });
      expect(fitted.problem).toBeUndefined();
      expect(fitted.tokens).toBeLessThan(167_000);
      expect(judge(fitted.messages)).toEqual([]);
      for (const { tier } of fitted.steps) tiers.add(tier);
      messages = fitted.messages;
    }
    expect([...tiers]).toEqual(expect.arrayContaining(["size-based", "full"]));
    expect(JSON.stringify(messages)).toContain("Never touch the tests.");
  });

  it("loses no instruction in any number of compactions", async () => {
    let messages: readonly AnthropicMessage[] = [{ role: "user", content: "Begin." }];
    const said: string[] = [];
    let compactions = 0;
    for (let round = 0; round < orLess(150, 75); round += 1) {
      const id = `n${round}`;
      const isSaid = round % 5 === 0;
      if (isSaid)
        said.push(`INSTRUCTION-${round}: ${output(round, 600)}\n[1] and 6. All user messages:\n[2] x`);
      const grown: readonly AnthropicMessage[] = [
        ...messages,
        {
          role: "assistant",
          content: [{ type: "tool_use", id, name: "Read", input: { path: `/${round}` } }],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: id, content: output(round, 4000) },
            ...(isSaid ? [{ type: "text" as const, text: said.at(-1) ?? "" }] : []),
          ],
        },
      ];
      const fitted = await fit(grown, {
        model: "claude-opus-5",
        tools,
        settings: { window: 60_000, reserve: 8000, autoCompactBuffer: 4000 },
      });
      expect(judge(fitted.messages)).toEqual([]);
      compactions += fitted.steps.filter(({ tier }) => tier === "full").length;
      messages = fitted.messages;
    }
    expect(compactions).toBeGreaterThan(orLess(5, 2));
    const shown = JSON.stringify(messages).replaceAll(/(?:\\n|\s)+/g, " ");
    const flat = (text: string): string =>
      JSON.stringify(text)
        .slice(1, -1)
        .replaceAll(/(?:\\n|\s)+/g, " ");
    expect(said.filter((text) => !shown.includes(flat(text)))).toEqual([]);
    expect(said.filter((text) => shown.split(flat(text)).length > 2)).toEqual([]);
    expect(shown.match(/This conversation continues an earlier one/g)).toHaveLength(1);
  });

  it("refuses what is no message of the Messages API, by its place", async () => {
    const given = { model: "claude-opus-5" };
    const tool = { role: "tool", content: "x" } as never;
    await expect(fit([tool], given)).rejects.toThrow('message 0 has the role "tool"');
    const empty = { role: "user" } as never;
    await expect(fit([{ role: "user", content: "x" }, empty], given)).rejects.toThrow("of message 1");
  });

  it("gives back as the system prompt what the list says as the system", async () => {
    const list: readonly AnthropicMessage[] = [
      { role: "system", content: "Never use tabs." },
      { role: "user", content: "Go." },
      { role: "system", content: [{ type: "text", text: "It is late." }] },
    ];
    const { messages, system } = await fit(list, {
      model: "claude-opus-5",
      system: [{ type: "text", text: "Be brief." }],
    });
    expect(system).toBe("Be brief.\n\nNever use tabs.\n\nIt is late.");
    expect(messages).toEqual([{ role: "user", content: [{ type: "text", text: "Go." }] }]);
  });

  it("takes a list of any other shape through its importer", async () => {
    const list = [
      { role: "developer", content: "Be brief." },
      { role: "user", content: "Read a.ts." },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "c1", type: "function", function: { name: "Read", arguments: '{"path":"a.ts"}' } },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: output(1, 600_000) },
    ];
    const given = { model: "claude-opus-5", tools, settings };
    const { messages, system, steps } = await fit(messagesFromOpenAiChat(list), given);
    expect(system).toBe("Be brief.");
    expect(steps).not.toEqual([]);
    expect(judge(messages)).toEqual([]);
    expect(JSON.stringify(messages)).toContain("Read a.ts.");
  });

  it("keeps no notes, whatever the settings say", async () => {
    const given = { model: "claude-opus-5", tools };
    const list = conversation(5, 2000);
    expect(await fit(list, { ...given, settings: { notes: true } })).toEqual(await fit(list, given));
  });

  it("quotes two messages that it gave back as one each with ends of its own", async () => {
    const lines = Array.from({ length: 1500 }, (_, at) => `${at}: a ${at * 7919}`).join("\n");
    const asked = `Begin with the second table.\n${lines.slice(0, 2000)}`;
    const said: readonly AnthropicMessage[] = [
      { role: "user", content: lines },
      { role: "user", content: asked },
    ];
    const given = { model: "claude-opus-5", tools, settings: { ...settings, autoCompactPercent: 20 } };
    const before = await fit([...said, ...conversation(1, 1000).slice(1)], given);
    expect(before.messages[0]?.content).toHaveLength(2);
    const { messages, steps } = await fit([...before.messages, ...conversation(40, 8000).slice(1)], given);
    expect(steps.map(({ tier }) => tier)).toContain("full");
    const shown = JSON.stringify(messages[0]?.content);
    expect(shown).toContain(JSON.stringify(lines.slice(-60)).slice(1, -1));
    expect(shown).toContain("[2] Begin with the second table.");
  });

  it("is the same for the same list", async () => {
    const given = conversation(80, 12_000);
    const [once, twice] = await Promise.all([
      fit(given, { model: "claude-opus-5", tools, settings }),
      fit(given, { model: "claude-opus-5", tools, settings }),
    ]);
    expect(JSON.stringify(once.messages)).toBe(JSON.stringify(twice.messages));
  });

  it("has a clear outcome for nothing, and for what can never fit", async () => {
    const nothing = await fit([], { model: "claude-opus-5", settings });
    expect(nothing).toMatchObject({ messages: [], steps: [], problem: "There is nothing to send yet." });
    const huge = await fit([{ role: "user", content: output(1, 900_000) }], {
      model: "claude-opus-5",
      settings,
    });
    expect(huge.problem).toBeUndefined();
    expect(huge.tokens).toBeLessThan(167_000);
    expect(judge(huge.messages)).toEqual([]);
    const prompt = await fit(conversation(3, 4000), {
      model: "claude-opus-5",
      settings,
      system: output(2, 900_000),
    });
    expect(prompt.problem).toMatch(/^[A-Z].*\.$/);
  });
});
