import type { InspectorEvent } from "../contract.js";

/** Why something could not be had, as it is told to the person. `code` is the server's, or `unreachable`, `not-exported`. */
export class SourceError extends Error {
  readonly code: string;
  /** 0 where nobody answered. */
  readonly status: number;

  constructor(options: { readonly code: string; readonly status: number; readonly message: string }) {
    super(options.message);
    this.name = "SourceError";
    this.code = options.code;
    this.status = options.status;
  }
}

interface Download {
  readonly content: Blob;
  readonly name: string;
}

export type Connection = "connected" | "connecting" | "lost";

/** Where the page has its data from. Everything rejects with a `SourceError`. */
export interface DataSource {
  /** A server answers: what-ifs, search, live updates and finer windows are to be had. */
  readonly isServer: boolean;
  /** When the export was made; null where a server answers. */
  readonly generatedAt: string | null;
  /** What the export had to leave out, in a sentence; null where it has everything. */
  readonly leftOut: string | null;
  get(path: string): Promise<unknown>;
  send(method: "POST" | "DELETE", path: string, body?: unknown): Promise<unknown>;
  download(path: string): Promise<Download>;
  /** Tells events until the signal aborts, connecting again whenever it has to. */
  follow(hear: {
    readonly onEvent: (event: InspectorEvent) => void;
    readonly onConnection: (state: Connection) => void;
    readonly signal: AbortSignal;
  }): void;
}
