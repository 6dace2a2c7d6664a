/** A simulated API with a window of 30K, and a model that reads as many files as it is told to before it answers. */
import {
  createSimulator,
  createSimulatorApp,
  withSummaries,
} from "../../../packages/palimpsest/dist/simulator/index.js";

export const model = "claude-opus-5";
export const task = "Audit every file. Do not change anything; keep the word marzipan in mind.";
export const system = `You audit repositories with care. ${"Name what is wrong, and where. ".repeat(100)}`;
export const settings = { window: 30_000, reserve: 4000, autoCompactBuffer: 2000 };
export const readSchema = { type: "object", properties: { path: { type: "string" } } };
export const verdictSchema = {
  type: "object",
  properties: { ok: { type: "boolean" } },
  required: ["ok"],
  additionalProperties: false,
};

export const isSummary = (body) =>
  JSON.stringify(body).slice(-30_000).includes("<analysis> element followed by one");

export function createLab() {
  const requests = [];
  const bodies = [];
  /** Files that the model still wants to read. */
  let left = 0;
  let reads = 0;
  let calls = 0;
  /** Holds the requests that it is true for: they are answered when they are called off, by their failure. */
  let holds = () => false;
  let onHeld = () => {};
  const player = {
    answer({ request }) {
      if (left > 0) {
        left -= 1;
        calls += 1;
        return { answer: { content: [{ type: "tool_use", name: "Read", input: { path: `${calls}.ts` } }] } };
      }
      const wantsJson = request.output_config?.format !== undefined || request.output_format !== undefined;
      return {
        answer: { content: [{ type: "text", text: wantsJson ? '{"ok":true}' : "The audit is done." }] },
      };
    },
  };
  const app = createSimulatorApp({
    simulator: createSimulator({ player: withSummaries(player), window: settings.window }),
    window: settings.window,
    onRequest: (request) => requests.push(request),
  });
  const verdicts = () => requests.flatMap(({ verdict }) => verdict ?? []);
  return {
    bodies,
    async fetch(url, init) {
      const request = url instanceof Request ? url : new Request(String(url), init);
      const body = JSON.parse(await request.clone().text());
      bodies.push(body);
      if (holds(body)) {
        const { signal } = request;
        const end = new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        onHeld();
        if (signal.aborted) throw signal.reason;
        return end;
      }
      return app(request);
    },
    /** From now on the model wants so many files. */
    want: (files) => void (left = files),
    read: () =>
      `// file ${(reads += 1)}\n${`export const value${reads} = compute(${reads * 7919});\n`.repeat(160)}`,
    reads: () => reads,
    /** Holds these requests; resolves once there is one. */
    hold: (which) =>
      new Promise((resolve) => {
        holds = which;
        onHeld = resolve;
      }),
    letGo: () => void (holds = () => false),
    refused: () => requests.filter(({ status }) => status !== 200).map(({ error }) => error?.message),
    verdicts,
    cached: () => {
      const sum = (name) => verdicts().reduce((total, verdict) => total + verdict[name], 0);
      return sum("cacheRead") / sum("promptTokens");
    },
  };
}
