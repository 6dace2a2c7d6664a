import {
  createSimulator,
  createSimulatorApp,
  withSummaries,
  type Player,
  type RequestRecord,
} from "../../packages/palimpsest/src/simulator/index.js";
import { output } from "../conversation/world.js";
import { textCounter } from "../text-counter.js";
import { fileText } from "./file-text.js";
import { MODEL, SYSTEM, WINDOW } from "./lab.js";
import type { TalkPlace } from "./talks/talk.js";

/** Thinks, speaks and reads files, so many times for each prompt, and then says something. */
const reader = (reads: number): Player => ({
  answer(_prompt, memory) {
    const turn = typeof memory === "number" ? memory : 0;
    const isDone = turn % (reads + 1) === reads;
    const content = isDone
      ? [{ type: "text" as const, text: `That was part ${turn}. ` }]
      : [
          { type: "thinking" as const, thinking: output(turn, 100) },
          { type: "text" as const, text: `Step ${turn}.` },
          { type: "tool_use" as const, name: "Read", input: { path: `src/part-${turn}.ts` } },
        ];
    return { answer: { content }, memory: turn + 1 };
  },
});

export function createTalkLab({ reads = 3 } = {}) {
  const records: RequestRecord[] = [];
  const bodies: string[] = [];
  const simulator = createSimulator({
    player: withSummaries(reader(reads)),
    counter: textCounter,
    window: WINDOW,
  });
  const app = createSimulatorApp({
    simulator,
    window: WINDOW,
    clock: "manual",
    onRequest: (record) => records.push(record),
  });
  const overheard = async (request: Request): Promise<Response> => {
    bodies.push(await request.clone().text());
    simulator.advance(2000);
    return app(request);
  };
  const place: TalkPlace = {
    model: MODEL,
    system: SYSTEM,
    read: fileText,
    fetch: (url, init) => overheard(url instanceof Request ? url : new Request(String(url), init)),
  };
  return {
    place,
    /** The API, for a server. */
    app: overheard,
    records,
    bodies,
    refused: () => records.filter(({ status }) => status !== 200).map(({ error }) => error?.message),
    cost: () => records.reduce((sum, { verdict }) => sum + (verdict?.cost ?? 0), 0),
  };
}
