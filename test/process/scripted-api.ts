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
  /** Lets time pass for it: what is cached grows older. */
  readonly advance: (milliseconds: number) => void;
  readonly close: () => Promise<void>;
}

interface RequestBody {
  readonly model: string;
  readonly thinking?: unknown;
  readonly system?: readonly { readonly text: string }[];
  readonly messages: readonly unknown[];
  readonly max_tokens?: number;
}

interface ScriptedApiOptions {
  /** Deletes results inside its cache, as `--cache-edits` of the command. */
  readonly cacheEdits?: boolean;
  /** Further headers of every response. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The simulated API in this process: it plays a script, and keeps what it was sent. */
export async function startScriptedApi(
  steps: readonly ScriptStep[],
  { cacheEdits = false, headers = {} }: ScriptedApiOptions = {},
): Promise<ScriptedApi> {
  const bodies: RequestBody[] = [];
  const simulator = createSimulator({
    player: withSummaries(createScriptPlayer({ steps, closing: "That is all." })),
    startTime: Date.now(),
    cacheEdits,
  });
  const app = createSimulatorApp({ simulator });
  const server = await startSimulatorServer({
    // A proxy brings requests under the names of others.
    anyHost: true,
    app: async (request) => {
      if (request.method === "POST") bodies.push((await request.clone().json()) as RequestBody);
      const response = await app(request);
      for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
      return response;
    },
  });
  const advance = (milliseconds: number): void => simulator.advance(milliseconds);
  return { url: server.url, bodies, advance, close: () => server.close() };
}
