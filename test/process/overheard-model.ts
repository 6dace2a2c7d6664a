import {
  createScriptPlayer,
  createSimulator,
  createSimulatorApp,
  startSimulatorServer,
  withSummaries,
  type Player,
} from "../../packages/palimpsest/src/simulator/index.js";

type Script = Parameters<typeof createScriptPlayer>[0];

/** Shows what the model sees when it is asked something, other than to summarise. */
const overheard = (inner: Player, hear: (seen: string) => void): Player => ({
  answer(prompt, memory) {
    hear(JSON.stringify(prompt.messages));
    return inner.answer(prompt, memory);
  },
});

/** A simulated API that plays a script, with summaries; `seen`: the messages of each request, as JSON. */
export async function startOverheardModel(
  script: Script,
  window: number,
): Promise<{
  readonly url: string;
  readonly seen: readonly string[];
  readonly close: () => Promise<void>;
}> {
  const seen: string[] = [];
  const app = createSimulatorApp({
    simulator: createSimulator({
      player: withSummaries(overheard(createScriptPlayer(script), (messages) => seen.push(messages))),
      startTime: Date.now(),
      window,
    }),
    window,
  });
  const server = await startSimulatorServer({ app });
  return { url: server.url, seen, close: () => server.close() };
}
