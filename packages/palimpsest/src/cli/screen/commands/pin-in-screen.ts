import { createUserMessage, findModel, isHumanMessage } from "@palimpsest/core";
import { createDefaultEstimator, pricesAt } from "@palimpsest/core/engine";
import { readFile } from "node:fs/promises";
import { dollars } from "../../../agent/commands/figures.js";
import { saidText } from "../talk/said-text.js";
import type { TalkHandle } from "../talk/talk-handle.js";

const LONGEST_FILE = 100_000;

/** Keeps something word for word through every compaction: what it is comes as a message of the person's. */
export async function pinInScreen(args: string, talk: TalkHandle): Promise<void> {
  const words = await wordsToPin(args, talk);
  if (words === undefined) return;
  const { conversation, agent } = talk.session;
  const content = (agent.hide ?? ((text: string) => text))(words);
  const message = createUserMessage(conversation.origin(), { content });
  await conversation.append(message, { pin: true });
  const tokens = createDefaultEstimator({ model: conversation.model }).message(message);
  const model = findModel(conversation.model);
  const price =
    model === undefined
      ? ""
      : `, ${dollars((tokens * pricesAt(model, conversation.size().tokens).cacheRead) / 1_000_000)} a turn while the cache is warm`;
  talk.notice(`Pinned: about ${Math.round(tokens)} tokens${price}.`, "good");
}

async function wordsToPin(args: string, talk: TalkHandle): Promise<string | undefined> {
  if (args.startsWith("@")) return fileToPin(args.slice(1).trim(), talk);
  if (args !== "") return `Keep this in mind: ${args}`;
  const said = talk.session.conversation.live.filter(isHumanMessage).toReversed();
  if (said.length === 0) {
    talk.notice("There is nothing to pin yet: /pin WORDS, or /pin @FILE.", "bad");
    return undefined;
  }
  const items = said.map((message) => ({ value: message.uuid, label: saidText(message) }));
  const picked = await talk.surface.pick({ title: "which message is to stay word for word?", items });
  const message = said.find(({ uuid }) => uuid === picked);
  return message === undefined ? undefined : `Keep this in mind: ${saidText(message)}`;
}

async function fileToPin(path: string, talk: TalkHandle): Promise<string | undefined> {
  const judged = await talk.session.guard.resolve(path, "read");
  if (judged.kind === "refused") {
    talk.notice(judged.reason, "bad");
    return undefined;
  }
  const text = await readFile(judged.real, "utf8").catch(() => undefined);
  if (text === undefined || text.length > LONGEST_FILE) {
    talk.notice(
      `${path} cannot be pinned: it must be a text of at most ${LONGEST_FILE.toLocaleString("en-US")} characters.`,
      "bad",
    );
    return undefined;
  }
  return `Keep the file ${path} in mind as it is now:\n\n${text}`;
}
