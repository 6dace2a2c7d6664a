import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { secretRedactor } from "../../agent/base/redact-secrets.js";
import { createInspectorApp, type InspectorApp } from "../api/app.js";
import { createEventLog } from "../api/event-log.js";
import { inspectorPage } from "../api/inspector-page.js";
import { exportPage, type ExportedPage } from "../export/export-page.js";
import { createInspectorJobs } from "../jobs/inspector-jobs.js";
import type { FoundConversation } from "./find-conversations.js";
import { createLibrary, type Library } from "./library.js";
import type { LiveConversation } from "./live-conversation.js";

export interface InspectorOptions {
  /** The conversations that are shown; asked again and again. */
  readonly find: () => Promise<readonly FoundConversation[]>;
  /** Those that go on in this process now. */
  readonly live?: (() => readonly LiveConversation[]) | undefined;
  /** Where this program keeps what it makes: indexes are kept below it. */
  readonly dataDirectory: string;
  /** Settings of the engine for what-ifs, and secrets that an export must not hold. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Under which a forwarded port is reached. */
  readonly publicUrl?: string | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** The inspector without a socket. */
export interface Inspector {
  readonly app: InspectorApp;
  readonly token: string;
  readonly library: Library;
  /** A conversation as one file to share; undefined where there is none of this id. */
  exportPage(id: string): Promise<ExportedPage | undefined>;
  close(): Promise<void>;
}

export function createInspector(options: InspectorOptions): Inspector {
  const { find, live, dataDirectory, env, publicUrl, onError = () => undefined } = options;
  const token = randomBytes(24).toString("base64url");
  const events = createEventLog();
  const indexFolder = join(dataDirectory, "inspector");
  const library = createLibrary({ find, events, indexFolder, now: Date.now, live });
  const jobs = createInspectorJobs({ env, onChange: (job) => events.add({ type: "what-if", job }) });
  const exported = (id: string): Promise<ExportedPage | undefined> =>
    exportPage(id, { ask, redact: secretRedactor(env), now: Date.now() });
  const app = createInspectorApp({
    conversations: library,
    events,
    token,
    publicUrl,
    page: inspectorPage,
    jobs,
    exportPage: exported,
    onError,
  });
  /** As its own page would; undefined for what it has no answer to. */
  const ask = async (path: string): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await app(new Request(`http://127.0.0.1${path}`, { headers }));
    return response.ok ? response.json() : undefined;
  };
  return {
    app,
    token,
    library,
    exportPage: exported,
    async close() {
      jobs.close();
      await library.close();
    },
  };
}
