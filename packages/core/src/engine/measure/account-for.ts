import type { Message } from "../../messages/message.js";
import { asText, isFields } from "../../messages/fields.js";
import { isHumanMessage } from "../../messages/predicates.js";
import { createCompactableTools } from "../tools/compactable-tools.js";
import { fileReadsOf, type FileRead } from "../tools/file-reads.js";
import type { Estimator } from "../ports/estimator.js";
import { sentBlocks } from "./sent-blocks.js";
import type { Accounting, Share } from "../events/accounting.js";

const LOCAL_COMMAND = /<(?:local-command-(?:stdout|stderr)|bash-(?:stdout|stderr))>/;

const tools = createCompactableTools();

class Tally {
  readonly #shares = new Map<string, { count: number; tokens: number }>();

  add(name: string, tokens: number): void {
    const share = this.#shares.get(name) ?? { count: 0, tokens: 0 };
    share.count += 1;
    share.tokens += tokens;
    this.#shares.set(name, share);
  }

  get tokens(): number {
    return [...this.#shares.values()].reduce((sum, share) => sum + share.tokens, 0);
  }

  get entries(): readonly (readonly [string, Share])[] {
    return [...this.#shares].toSorted(([, a], [, b]) => b.tokens - a.tokens);
  }
}

/** Counts where the tokens are. */
export function accountFor(messages: readonly Message[], estimator: Pick<Estimator, "block">): Accounting {
  const requests = new Tally();
  const results = new Tally();
  const attachments = new Tally();
  const reads = new Tally();
  const calls = new Map<string, { readonly name: string; readonly reads: readonly FileRead[] }>();
  let human = 0;
  let assistant = 0;
  let localCommandOutput = 0;
  let other = 0;
  for (const message of messages) {
    if (message.type === "attachment") {
      const tokens = sentBlocks(message).reduce<number>((sum, block) => sum + estimator.block(block), 0);
      attachments.add(asText(message.attachment?.type) || "unknown", tokens);
      continue;
    }
    const isSummary = message.type === "user" && message.isCompactSummary === true;
    for (const block of sentBlocks(message)) {
      const tokens = estimator.block(block);
      const fields = isFields(block) ? block : { type: "text", text: block };
      if (fields["type"] === "tool_use") {
        const name = asText(fields["name"]) || "unknown";
        requests.add(name, tokens);
        calls.set(asText(fields["id"]), {
          name,
          reads: tools.kindOf(name) === "file-read" ? fileReadsOf(fields["input"]) : [],
        });
      } else if (fields["type"] === "tool_result") {
        const call = calls.get(asText(fields["tool_use_id"]));
        results.add(call?.name ?? "unknown", tokens);
        const shown = call?.reads ?? [];
        for (const { path } of shown) reads.add(path, tokens / shown.length);
      } else if (fields["type"] === "image" || fields["type"] === "document") {
        other += tokens;
      } else if (message.type === "assistant") {
        assistant += tokens;
      } else if (LOCAL_COMMAND.test(asText(fields["text"]))) {
        localCommandOutput += tokens;
      } else if (isSummary) {
        attachments.add("summary", tokens);
      } else if (isHumanMessage(message)) {
        human += tokens;
      } else {
        // Written by the program into a user message: notices, reminders.
        attachments.add("meta", tokens);
      }
    }
  }
  const duplicateReads = reads.entries.flatMap(([path, { count, tokens }]) =>
    count > 1 ? [{ path, count, wasted: Math.floor(tokens / count) * (count - 1) }] : [],
  );
  const total =
    human + assistant + requests.tokens + results.tokens + localCommandOutput + attachments.tokens + other;
  const percent = (tokens: number): number => (total === 0 ? 0 : Math.round((tokens / total) * 1000) / 10);
  return {
    total,
    human,
    assistant,
    toolRequests: Object.fromEntries(requests.entries),
    toolResults: Object.fromEntries(results.entries),
    localCommandOutput,
    attachments: Object.fromEntries(attachments.entries),
    other,
    duplicateReads,
    percentages: {
      human: percent(human),
      assistant: percent(assistant),
      toolRequests: percent(requests.tokens),
      toolResults: percent(results.tokens),
      localCommandOutput: percent(localCommandOutput),
      duplicateReads: percent(duplicateReads.reduce((sum, read) => sum + read.wasted, 0)),
    },
  };
}
