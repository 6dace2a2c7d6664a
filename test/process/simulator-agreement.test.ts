import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { createSimulator } from "../../packages/palimpsest/src/simulator/core/create-simulator.js";
import { cannedPlayer } from "../../packages/palimpsest/src/simulator/testing/client.js";

/** A fake of the API that nobody here wrote: `start({port, ...})` and a log of usage. */
const judge = process.env["PALIMPSEST_OUTSIDE_JUDGE"];
const isThere = judge !== undefined && existsSync(judge);
const reason = isThere ? "" : " (not run: PALIMPSEST_OUTSIDE_JUDGE names no fake-api.mjs)";

interface Block {
  readonly type: string;
  readonly [field: string]: unknown;
}
interface Body {
  readonly model: string;
  readonly tools: readonly Block[];
  readonly system: readonly Block[];
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
  readonly [field: string]: unknown;
}
interface Usage {
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
}

/** Where the blocks of a request end, in the outside judge's tokens: characters of JSON, divided by four. */
function positions(body: Body): readonly { readonly path: string; readonly tokens: number }[] {
  const blocks = [
    ...body.tools.map((tool, index) => ({ path: `tools.${index}`, value: tool as object })),
    ...body.system.map((block, index) => ({ path: `system.${index}`, value: block as object })),
    ...body.messages.flatMap(({ role, content }, message) =>
      content.map((block, index) => ({
        path: `messages.${message}.content.${index}`,
        value: { r: role, x: block },
      })),
    ),
  ];
  let tokens = 0;
  return blocks.map(({ path, value }) => {
    const json = JSON.stringify(value, (key, item: unknown) => (key === "cache_control" ? undefined : item));
    tokens += Math.ceil(json.length / 4);
    return { path, tokens };
  });
}

interface Read {
  readonly request: number;
  readonly read: string;
  readonly wrote: string;
}

/** How often each section was read up to. */
function tally(paths: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const path of paths) {
    const section = path.split(".")[0] ?? "";
    counts[section] = (counts[section] ?? 0) + 1;
  }
  return counts;
}

const marker = { cache_control: { type: "ephemeral" } };

describe.skipIf(!isThere)(`an outside judge${reason}`, () => {
  it("agrees on what is read and what is written, request by request", async () => {
    const { start } = (await import(pathToFileURL(judge ?? "").href)) as {
      readonly start: (options: object) => Promise<{ url: string; close(): void }>;
    };
    const clockStep = 20;
    const outside = await start({ port: 0, steps: 1000, kb: 4, limit: 1_000_000, clockStep });
    const simulator = createSimulator({ player: cannedPlayer(), startTime: 0 });
    const verdicts: { readonly outside: Read; readonly ours: Read }[] = [];
    let requests = 0;

    /** Sends one body to both and compares which block each read up to, and up to which it wrote. */
    const exchange = async (body: Body): Promise<readonly Block[]> => {
      simulator.advance(clockStep * 1000);
      const response = await fetch(`${outside.url}/v1/messages`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": "k" },
        body: JSON.stringify(body),
      });
      const answer = (await response.json()) as { content: readonly Block[]; usage: Usage };
      const outcome = simulator.call({
        endpoint: "messages",
        body,
        workspace: "k",
        betas: [],
        apiVersion: "2023-06-01",
      });
      if (outcome.kind !== "message") throw new Error(JSON.stringify(outcome));
      const places = positions(body);
      const at = (tokens: number): string =>
        places.find((place) => place.tokens === tokens)?.path ?? "nothing";
      const { usage } = answer;
      const { hit, cacheRead, cacheWrite5m } = outcome.verdict;
      const wrote = (written: number, upTo: string): string => (written === 0 ? "nothing" : upTo);
      const lastMarked = [...body.messages.entries()]
        .flatMap(([message, { content }]) =>
          content.map((block, index) => ({ block, path: `messages.${message}.content.${index}` })),
        )
        .findLast(({ block }) => "cache_control" in block)?.path;
      verdicts.push({
        outside: {
          request: requests,
          read: at(usage.cache_read_input_tokens),
          wrote: wrote(
            usage.cache_creation_input_tokens,
            at(usage.cache_read_input_tokens + usage.cache_creation_input_tokens),
          ),
        },
        ours: {
          request: requests,
          read: hit?.path ?? "nothing",
          wrote: wrote(cacheWrite5m, cacheRead + cacheWrite5m === 0 ? "nothing" : (lastMarked ?? "system.0")),
        },
      });
      requests += 1;
      return answer.content;
    };

    const base = {
      model: "claude-sonnet-5",
      max_tokens: 1000,
      tools: [
        {
          type: "custom",
          name: "bash",
          description: "Runs a command. ".repeat(500),
          input_schema: {
            type: "object",
            properties: { command: { type: "string" } },
            required: ["command"],
          },
        },
      ],
      system: [{ type: "text", text: "You are an agent. ".repeat(500), ...marker }],
    };
    const withMarker = (messages: Body["messages"], places: readonly number[]): Body["messages"] =>
      messages.map((message, index) =>
        places.includes(index)
          ? {
              ...message,
              content: message.content.map((block, at) =>
                at === message.content.length - 1 ? { ...block, ...marker } : block,
              ),
            }
          : message,
      );
    let messages: Body["messages"] = [
      { role: "user", content: [{ type: "text", text: "Do step after step." }] },
    ];
    for (let step = 0; step < 60; step += 1) {
      const last = messages.length - 1;
      // every tenth round nothing is marked in the messages; then up to 22 blocks have come since the last write
      const markers = step % 30 >= 12 && step % 30 <= 22 ? [] : [last];
      const body: Body = { ...base, messages: withMarker(messages, markers) };
      const content = await exchange(body);
      // a fork beside the conversation, a changed setting, an edited past, a pause: each now and then
      if (step % 7 === 3) {
        const note = { type: "text", text: "Note this down." };
        const fork = body.messages.map((message, index) =>
          index === last ? { ...message, content: [...message.content, note] } : message,
        );
        await exchange({ ...base, messages: fork });
      }
      if (step % 11 === 5) await exchange({ ...body, tool_choice: { type: "any" } });
      if (step % 13 === 6) await exchange({ ...body, thinking: { type: "adaptive" } });
      if (step % 17 === 8)
        await exchange({ ...body, system: [{ type: "text", text: "Other rules. ".repeat(800), ...marker }] });
      if (step === 40) {
        messages = messages.map((message, index) =>
          index === 20
            ? {
                ...message,
                content: message.content.map((block) =>
                  block["type"] === "tool_result" ? { ...block, content: "[cleared]" } : block,
                ),
              }
            : message,
        );
      }
      if (step === 25 || step === 50) {
        // twenty requests' worth of time passes on both clocks: the entries expire
        for (let idle = 0; idle < 16; idle += 1) {
          await exchange({
            ...base,
            model: "claude-opus-4-8",
            messages: [{ role: "user", content: [{ type: "text", text: `idle ${idle}` }] }],
          });
        }
      }
      const calls = content.filter((block) => block["type"] === "tool_use");
      messages = [
        ...messages,
        { role: "assistant", content },
        {
          role: "user",
          content: calls.map((call) => ({
            type: "tool_result",
            tool_use_id: String(call["id"]),
            content: `output of step ${step} `.repeat(300),
          })),
        },
      ];
    }
    outside.close();
    console.log(
      `${verdicts.length} requests; read: ${JSON.stringify(tally(verdicts.map(({ outside: { read } }) => read)))}`,
    );
    expect(verdicts.length).toBeGreaterThan(100);
    // every kind of verdict occurs: the session is not an easy one
    expect(Object.keys(tally(verdicts.map(({ ours: { read } }) => read))).toSorted()).toEqual([
      "messages",
      "nothing",
      "system",
    ]);
    expect(verdicts.map((verdict) => verdict.ours)).toEqual(verdicts.map((verdict) => verdict.outside));
  });
});
