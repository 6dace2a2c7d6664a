import { createCompactableTools, type GivenSettings } from "@palimpsest/core";
import { createStandInFiles } from "palimpsest/stores";
import { text } from "node:stream/consumers";
import { fileText } from "../adapters/file-text.js";
import { talkWith } from "../adapters/talks.js";

/** One turn of a conversation in a process of its own: all it knows is what it is handed and the store. */
export interface AdapterTurn {
  readonly name: string;
  readonly url: string;
  readonly directory: string;
  readonly model: string;
  readonly system: string;
  readonly settings: GivenSettings;
  /** Tools whose results are never cleared. */
  readonly never: readonly string[];
  readonly history: readonly unknown[];
  readonly prompt: string;
}

const turn = JSON.parse(await text(process.stdin)) as AdapterTurn;
const createTalk = await talkWith(turn.name);
const say = createTalk(
  {
    model: turn.model,
    system: turn.system,
    read: fileText,
    fetch: async (url, init) => {
      const asked = url instanceof Request ? url : new Request(String(url), init);
      const { pathname } = new URL(asked.url);
      return fetch(new URL(pathname, turn.url), {
        method: "POST",
        headers: asked.headers,
        body: await asked.text(),
      });
    },
  },
  {
    settings: turn.settings,
    compactableTools: createCompactableTools({ never: turn.never }),
    store: createStandInFiles({ directory: turn.directory }),
  },
);
process.stdout.write(JSON.stringify(await say(turn.history, turn.prompt)));
