import type { ApiFailure, InspectorEvent } from "../contract.js";
import { SourceError, type DataSource } from "./data-source.js";
import { createEventParser } from "./event-stream.js";

const FIRST_WAIT = 500;
const LONGEST_WAIT = 10_000;
/** A stream that says nothing for so long, not even that it is there, is taken for dead. */
const SILENCE = 45_000;

const UNREACHABLE = new SourceError({
  code: "unreachable",
  status: 0,
  message:
    "The inspector does not answer: it may have been stopped. Start it again and open the address that it prints.",
});

async function failureOf(response: Response): Promise<SourceError> {
  const body = (await response.json().catch(() => null)) as ApiFailure | null;
  const message = body?.error.message ?? `The inspector answered with status ${response.status}.`;
  return new SourceError({ code: body?.error.code ?? "failed", status: response.status, message });
}

const nameIn = (response: Response): string =>
  /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "conversation.html";

/** The server that the page came from, asked with its token. */
export function createServerSource(token: string): DataSource {
  const ask = async (path: string, options: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(options.headers);
    headers.set("authorization", `Bearer ${token}`);
    const response = await fetch(path, { ...options, headers, cache: "no-store", credentials: "omit" }).catch(
      (error: unknown) => {
        if (options.signal?.aborted === true) throw error;
        throw UNREACHABLE;
      },
    );
    if (!response.ok) throw await failureOf(response);
    return response;
  };

  const listen = async (
    hear: Parameters<DataSource["follow"]>[0],
    last: { id: string | null },
  ): Promise<void> => {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), SILENCE);
    const response = await ask("/api/events", {
      signal: AbortSignal.any([hear.signal, silence.signal]),
      ...(last.id === null ? {} : { headers: { "last-event-id": last.id } }),
    });
    hear.onConnection("connected");
    const read = createEventParser(({ id, type, data }) => {
      last.id = id;
      hear.onEvent({ type, ...(JSON.parse(data) as object) } as InspectorEvent);
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const piece = await reader?.read();
      if (piece === undefined || piece.done) break;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE);
      read(piece.value);
    }
    clearTimeout(timer);
  };

  return {
    isServer: true,
    generatedAt: null,
    leftOut: null,
    get: async (path) => (await ask(path)).json(),
    send: async (method, path, body) => {
      const response = await ask(path, {
        method,
        ...(body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
      });
      const text = await response.text();
      return text === "" ? null : (JSON.parse(text) as unknown);
    },
    download: async (path) => {
      const response = await ask(path);
      return { content: await response.blob(), name: nameIn(response) };
    },
    follow: (hear) => {
      const last: { id: string | null } = { id: null };
      void (async () => {
        let wait = FIRST_WAIT;
        let wasLost = false;
        while (!hear.signal.aborted) {
          const began = Date.now();
          try {
            await listen(hear, last);
          } catch {
            // Lost, refused or silent: what is wrong shows where something is asked for.
          }
          if (hear.signal.aborted) return;
          hear.onConnection(wasLost ? "lost" : "connecting");
          wasLost = true;
          if (Date.now() - began > LONGEST_WAIT) {
            wait = FIRST_WAIT;
            wasLost = false;
          }
          await new Promise((done) => setTimeout(done, wait));
          wait = Math.min(LONGEST_WAIT, wait * 2);
        }
      })();
    },
  };
}
