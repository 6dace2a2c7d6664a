import { withSummaries, type Answer, type Player } from "../../../packages/palimpsest/src/simulator/index.js";
import type { SimulatorApp } from "../../../packages/palimpsest/src/simulator/http/app.js";

/** Words of the request for a summary that nothing else holds. */
const ASKED = "this is the only turn you have";

/** Answers requests for a summary itself, retries counted too; those it leaves alone go to the simulator. */
export function onSummaries(
  answer: (number: number, request: Request) => Promise<Response | undefined> | Response | undefined,
): (app: SimulatorApp) => SimulatorApp {
  return (app) => {
    let seen = 0;
    return async (request) => {
      const body = await request.clone().text();
      if (!body.includes(ASKED)) return app(request);
      seen += 1;
      return (await answer(seen, request)) ?? app(request);
    };
  };
}

/** As the API reports an error. */
export const errorResponse = (
  status: number,
  error: { readonly type: string; readonly message: string },
): Response => Response.json({ type: "error", error }, { status });

/** As the API says that a prompt does not fit. */
export const tooLong = (message: string): Response =>
  errorResponse(400, { type: "invalid_request_error", message });

export const saying = (text: string): Answer => ({ content: [{ type: "text", text }] });

/** Answers requests for a summary with these, one after the other; beyond the last one well. */
export function summariesBy(player: Player, ...answers: readonly Answer[]): Player {
  const writer = withSummaries(player);
  return {
    answer(prompt, memory) {
      const { inner, written } = memoryOf(memory);
      const isAsked = JSON.stringify(prompt.messages.at(-1) ?? "").includes(ASKED);
      const own = isAsked ? answers[written] : undefined;
      if (own !== undefined) return { answer: own, memory: { inner, written: written + 1 } };
      const played = writer.answer(prompt, inner);
      return { answer: played.answer, memory: { inner: played.memory, written } };
    },
  };
}

const memoryOf = (memory: unknown): { readonly inner: unknown; readonly written: number } =>
  typeof memory === "object" && memory !== null && "written" in memory
    ? (memory as { inner: unknown; written: number })
    : { inner: undefined, written: 0 };
