import type { PromptResult } from "../../../agent/commands/answer-prompt.js";
import type { SentRequest } from "../../../agent/session/sent-requests.js";
import type { Session } from "../../../agent/session/session.js";
import type { UndoResult } from "../../../inspector/contract.js";
import { createLiveRequests, type LiveConversation } from "../../../inspector/live/live-conversation.js";
import type { ServedInspector } from "../../../inspector/live/start-inspector.js";
import type { Surface } from "../surface/surface.js";

/** The conversation that goes on, whichever that is. */
interface InspectedTalk {
  readonly session: Session;
  readonly surface: Surface;
  readonly say: (text: string, signal: AbortSignal) => Promise<PromptResult>;
  readonly between: <T>(run: (signal: AbortSignal) => Promise<T>) => Promise<T | undefined>;
}

/** The inspector beside the agent's screen: nothing of it is loaded before it is asked for. */
export interface ScreenInspector {
  /** Told of requests from the beginning: the newest are kept. */
  readonly onSent: (sent: SentRequest) => void;
  /** Where it is; started with the first call. Rejects as the network does. */
  addressFor(talk: InspectedTalk): Promise<string>;
  close(): Promise<void>;
}

interface Places {
  readonly dataDirectory: string;
  readonly env: NodeJS.ProcessEnv;
}

export function createScreenInspector(places: Places): ScreenInspector {
  const requests = createLiveRequests();
  let started: Promise<ServedInspector> | undefined;
  return {
    onSent: (sent) => requests.add(sent),
    async addressFor(talk) {
      started ??= start(talk, places, requests);
      try {
        return (await started).url;
      } catch (error) {
        started = undefined;
        throw error;
      }
    },
    async close() {
      const served = await started?.catch(() => undefined);
      await served?.close();
    },
  };
}

async function start(
  talk: InspectedTalk,
  places: Places,
  requests: LiveConversation["requests"],
): Promise<ServedInspector> {
  const [{ startInspector }, { findNamed }] = await Promise.all([
    import("../../../inspector/live/start-inspector.js"),
    import("../../../inspector/live/find-conversations.js"),
  ]);
  /** Those that went on here since: whoever looks at one is not sent away by `/clear`. */
  const files = new Set<string>();
  return startInspector({
    ...places,
    async find() {
      files.add(talk.session.transcriptPath);
      const { found } = await findNamed([...files]);
      return found.map((one) => ({ ...one, agent: "palimpsest" }));
    },
    live: () => [liveConversation(talk, requests)],
  });
}

const liveConversation = (talk: InspectedTalk, requests: LiveConversation["requests"]): LiveConversation => ({
  file: talk.session.transcriptPath,
  requests,
  thresholds() {
    const { thresholds, compactAt } = talk.session.conversation.size();
    return [
      ...(thresholds.isAutoCompactOn ? [{ name: "compaction", tokens: compactAt }] : []),
      { name: "full", tokens: thresholds.hardAt },
    ];
  },
  undo: () => undoFromOutside(talk),
});

/** As if `/undo` had been typed: it is seen on the screen too. */
async function undoFromOutside(talk: InspectedTalk): Promise<UndoResult> {
  const result = await talk.between((signal) => {
    talk.surface.dispatch({ kind: "said", text: "/undo" });
    return talk.say("/undo", signal);
  });
  if (result === undefined) {
    return { undone: false, message: "The agent is at work: try again when it waits for you." };
  }
  return { undone: result.reason === "done", message: result.text };
}
