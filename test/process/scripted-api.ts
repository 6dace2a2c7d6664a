import {
  createScriptPlayer,
  createSimulator,
  createSimulatorApp,
  startSimulatorServer,
  withSummaries,
  type ScriptStep,
} from "../../packages/palimpsest/src/simulator/index.js";

export interface ScriptedApi {
  readonly url: string;
  /** The bodies of all requests so far. */
  readonly bodies: readonly RequestBody[];
  readonly close: () => Promise<void>;
}

interface RequestBody {
  readonly model: string;
  readonly thinking?: unknown;
  readonly system?: readonly { readonly text: string }[];
  readonly messages: readonly unknown[];
}

/** The simulated API in this process: it plays a script, and keeps what it was sent. */
export async function startScriptedApi(steps: readonly ScriptStep[]): Promise<ScriptedApi> {
  const bodies: RequestBody[] = [];
  const app = createSimulatorApp({
    simulator: createSimulator({
      player: withSummaries(createScriptPlayer({ steps, closing: "That is all." })),
      startTime: Date.now(),
    }),
  });
  const server = await startSimulatorServer({
    // A proxy brings requests under the names of others.
    anyHost: true,
    app: async (request) => {
      if (request.method === "POST") bodies.push((await request.clone().json()) as RequestBody);
      return app(request);
    },
  });
  return { url: server.url, bodies, close: () => server.close() };
}
