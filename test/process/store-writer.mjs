/** `DIRECTORY CONVERSATION DURABILITY`: appends five batches, and prints the uuids of each once it was acknowledged. */
import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { createJsonlStore } from "palimpsest/stores";

const [directory, conversation, durability] = process.argv.slice(2);

const message = () => ({
  type: "user",
  uuid: randomUUID(),
  parentUuid: null,
  timestamp: new Date().toISOString(),
  sessionId: "crash",
  message: { role: "user", content: "ä".repeat(5000) },
});

const writer = await createJsonlStore({ directory, durability }).open(conversation);
for (let count = 0; count < 5; count += 1) {
  const batch = [message(), message()];
  await writer.append(batch);
  writeSync(1, `${batch.map(({ uuid }) => uuid).join(" ")}\n`);
}
await writer.close();
