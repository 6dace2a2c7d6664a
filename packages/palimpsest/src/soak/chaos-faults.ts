import type { CompactHooks, HookContext, PreCompactOutput } from "@palimpsest/core";
import { summaryModes, withSummaries, type Player, type SimulatorApp } from "../simulator/index.js";
import { worker } from "./made-up-world.js";
import type { Random } from "../bench/random.js";

const refusal = (status: number, type: string, message: string): Response =>
  Response.json({ type: "error", error: { type, message } }, { status, headers: { "retry-after": "0" } });

interface Disturbance {
  readonly random: Random;
  readonly window: number;
}

/** Between the provider and the API: refusals, garbage, cuts before and in the middle of a response. */
export function disturb(app: SimulatorApp, { random, window }: Disturbance): SimulatorApp {
  const tooLong = `prompt is too long: ${window + 9000} tokens > ${window} maximum`;
  const faults: readonly ((request: Request) => Promise<Response>)[] = [
    async () => refusal(429, "rate_limit_error", "This request would exceed the rate limit."),
    async () => refusal(529, "overloaded_error", "Overloaded"),
    async () => refusal(500, "api_error", "Internal server error"),
    async () => refusal(400, "invalid_request_error", "prompt is too long"),
    async () => refusal(400, "invalid_request_error", tooLong),
    async () => refusal(401, "authentication_error", "invalid x-api-key"),
    async () =>
      new Response("<html>Bad gateway</html>", { status: 200, headers: { "content-type": "text/html" } }),
    async () => new Response("", { status: 502 }),
    async () => Response.error(),
    async (request) => {
      const text = await (await app(request)).text();
      const cut = text.slice(0, random.below(text.length));
      return new Response(cut, { headers: { "content-type": "text/event-stream" } });
    },
  ];
  return (request) => (random.next() < 0.06 ? random.pick(faults)(request) : app(request));
}

/** Calls in a row in which no summary is worth anything. */
export const BAD_STRETCH = 40;

/** Summaries of every quality, and now and then a stretch in which all are empty. */
export function moodyPlayer(random: Random): Player {
  const inner = worker(true);
  const players = new Map(summaryModes.map((mode) => [mode, withSummaries(inner, { mode })]));
  let bad = 0;
  return {
    answer(prompt, memory) {
      if (bad > 0) bad -= 1;
      else if (random.next() < 0.01) bad = BAD_STRETCH;
      const usual = random.next() < 0.5 ? "mediocre" : random.pick(summaryModes);
      const mode = bad > 0 ? "empty" : usual;
      const player = players.get(mode);
      if (player === undefined) throw new Error("unreachable");
      return player.answer(prompt, memory);
    },
  };
}

/** Hooks that say nothing, crash, block or never come back, which `onHang` is told. */
export function wildHooks(random: Random, onHang: () => void): CompactHooks {
  const wild = async <T extends object>(nothing: T, more: readonly NoInfer<T>[]): Promise<T> => {
    const chance = random.next();
    if (chance < 0.1) throw new Error("the hook crashed");
    if (chance < 0.15) return new Promise(onHang);
    return chance < 0.25 ? random.pick(more) : nothing;
  };
  return {
    preCompact: () => wild<PreCompactOutput>({}, [{ block: "not now" }, { instructions: "keep names" }]),
    sessionStart: () => wild<HookContext>({}, [{ contexts: ["welcome back"] }]),
    postCompact: () => wild<HookContext>({}, [{ message: "done" }]),
  };
}
