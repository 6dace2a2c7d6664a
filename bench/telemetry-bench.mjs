/** What `palimpsest/telemetry` costs where no SDK is registered: `prepare` through it against `prepare` alone, in turns. */
import { createConversation } from "@palimpsest/core";
import { compaction } from "@palimpsest/core/compaction";
import { createTelemetry } from "palimpsest/telemetry";

const ROUNDS = 12;
const CALLS = 2000;

async function madeConversation() {
  const conversation = createConversation({ model: "claude-opus-5", maxTokens: 1000, compaction });
  for (let at = 0; at < 200; at += 1) {
    await conversation.append({ role: "user", content: `question ${at} ${"x ".repeat(500)}` });
    await conversation.append({ role: "assistant", content: `answer ${at} ${"y ".repeat(500)}` });
  }
  await conversation.append({ role: "user", content: "and now" });
  return conversation;
}

async function cpuOf(conversation) {
  const before = process.cpuUsage();
  for (let call = 0; call < CALLS; call += 1) await conversation.prepare();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

export const telemetryBench = {
  name: "telemetry",
  async *run() {
    const plain = await madeConversation();
    const watched = createTelemetry().conversation(plain);
    await cpuOf(watched);
    await cpuOf(plain);
    const sums = { plain: [], watched: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      const first = round % 2 === 0;
      if (first) sums.plain.push(await cpuOf(plain));
      sums.watched.push(await cpuOf(watched));
      if (!first) sums.plain.push(await cpuOf(plain));
    }
    const median = (list) => list.toSorted((one, other) => one - other)[list.length >> 1];
    yield { name: "telemetry.prepare", value: median(sums.plain) / CALLS / 1000, unit: "ms" };
    yield { name: "telemetry.prepare.with", value: median(sums.watched) / median(sums.plain), unit: "ratio" };
  },
};
