import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { createInspectorApp } from "../api/app.js";
import { createEventLog } from "../api/event-log.js";
import type { JobPort } from "../api/job-port.js";
import type { ConversationList } from "../contract.js";
import { findNamed } from "../live/find-conversations.js";
import { createLibrary } from "../live/library.js";
import { recordScript } from "./scripted-recording.js";

export const TOKEN = "a-token";
export const HOST = "http://127.0.0.1:4000";

/** The API over these files, asked as its page asks it. */
export function inspectorOf(files: readonly string[], publicUrl?: string, jobs?: JobPort) {
  const events = createEventLog();
  const errors: unknown[] = [];
  const library = createLibrary({
    find: async () => (await findNamed(files)).found,
    indexFolder: mkdtempSync(join(tmpdir(), "inspector-api-")),
    events,
    now: Date.now,
  });
  const app = createInspectorApp({
    conversations: library,
    events,
    token: TOKEN,
    publicUrl,
    jobs,
    onError: (error) => errors.push(error),
  });
  const ask = (path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Response> =>
    app(new Request(`${HOST}${path}`, { method, headers: { authorization: `Bearer ${TOKEN}`, ...headers } }));
  const get = async <Answer>(path: string): Promise<Answer> => {
    const response = await ask(path);
    expect([path, response.status]).toEqual([path, 200]);
    return (await response.json()) as Answer;
  };
  const only = async (): Promise<string> => {
    const { conversations } = await get<ConversationList>("/api/conversations");
    return `/api/conversations/${conversations[0]?.id}`;
  };
  return { app, ask, get, only, errors, library, events };
}

/** A path in a folder of its own. */
export const fileIn = (name: string): string => join(mkdtempSync(join(tmpdir(), "inspector-files-")), name);

export const toolNamed = (name: string) => ({
  name,
  description: `Does ${name}`,
  input_schema: { type: "object" },
});

/** A conversation of five requests, of which the fourth has another tool; with its requests as they were sent, or without. */
export function scriptedFile(withRequests: boolean): string {
  const path = fileIn("talk.jsonl");
  recordScript(path, {
    turns: Array.from({ length: 5 }, (_, at) => ({
      ...(at === 0 ? { asked: "Mend the parser in Größe.ts" } : {}),
      calls: [
        {
          name: "Read",
          input: { file_path: `/src/${at}.ts` },
          result: `result ${at}: ${"words ".repeat(900)}`,
        },
      ],
    })),
    tools: (turn) =>
      turn < 3
        ? [toolNamed("Read"), toolNamed("Write")]
        : [toolNamed("Read"), toolNamed("mcp__search__find")],
    system: () => "You are an agent. ".repeat(400),
    withRequests,
  });
  return path;
}
