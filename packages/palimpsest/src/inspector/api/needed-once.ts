import { numbered, type JobPort } from "./job-port.js";
import type { OpenConversation } from "./conversations.js";

type Needed = ReturnType<JobPort["neededLater"]>;

interface Played {
  /** How much of its files there was. */
  readonly sizes: string;
  readonly needed: Needed;
  isRunning: boolean;
}

/**
 * What all compactions of a conversation lost, as it is now: it is played once for them. While it is being played, whoever asks gets
 * that answer, though it has grown since: what grows all the time is not played all the time. Undefined where nobody can play it.
 */
export function createNeededOnce(
  jobs: Pick<JobPort, "neededLater"> | undefined,
): (conversation: OpenConversation) => Promise<Awaited<Needed> | undefined> {
  const played = new Map<string, Played>();
  return async (conversation) => {
    if (jobs === undefined) return undefined;
    const { listed, files } = conversation;
    const sizes = files.map(({ size }) => size).join();
    const before = played.get(listed.id);
    if (before !== undefined && (before.sizes === sizes || before.isRunning)) return before.needed;
    const now: Played = { sizes, needed: jobs.neededLater(numbered(conversation)), isRunning: true };
    played.set(listed.id, now);
    try {
      return await now.needed;
    } catch (error) {
      // What has failed is tried again when it is asked for again.
      if (played.get(listed.id) === now) played.delete(listed.id);
      throw error;
    } finally {
      now.isRunning = false;
    }
  };
}
