import { open } from "node:fs/promises";

const FILE_SIZE = 50 * 1024 * 1024;

/** Source text, a coloured log and prose by turns. */
function resultText(seed: number): string {
  if (seed % 3 === 0) {
    const body = `\t\treturn "the \\"quoted\\" ${seed}";\n}\n`;
    return `  ${seed}\texport function part${seed}(name: string): string {\n${body}`.repeat(50);
  }
  if (seed % 3 === 1) {
    const passed = `\u001b[32m✓\u001b[0m test ${seed} passed (${seed % 97} ms)\r\n`;
    return `${passed}\u001b[31merror\u001b[0m: function gave ${seed}\n`.repeat(60);
  }
  const prose = "the quick brown fox jumps över a function; naïve “quotes” – und so weiter.\n";
  return `Абзац ${seed}: ${prose}`.repeat(60);
}

/** Lines that hang on one another. */
function createLines() {
  let count = 0;
  let last: string | null = null;
  const line = (type: string, content: unknown, more: object = {}): string => {
    count += 1;
    const uuid = `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`;
    const base = { uuid, parentUuid: last, timestamp: new Date(1.79e12 + count * 1000).toISOString() };
    last = uuid;
    const message = { id: `msg_${count}`, role: type, model: "m", content };
    return `${JSON.stringify({ ...base, sessionId: "bench", type, message, ...more })}\n`;
  };
  return {
    line,
    count: () => count,
    round: (id: string, text: string): string =>
      line("assistant", [
        { type: "thinking", thinking: `thinking of ${id}`.repeat(20), signature: "c2ln".repeat(60) },
        { type: "tool_use", id, name: "Bash", input: { command: `run --id ${id}` } },
      ]) + line("user", [{ type: "tool_result", tool_use_id: id, content: text }]),
    picture: (seed: number): string => {
      const data = Buffer.alloc(200_000, Math.imul(seed, 2_654_435_761).toString(36)).toString("base64");
      return line("user", [{ type: "image", source: { type: "base64", media_type: "image/png", data } }]);
    },
  };
}

/** Writes a transcript of 50 MB: one fact near its start, one in its middle before a boundary, some pictures. */
export async function writeLongTranscript(path: string): Promise<void> {
  const file = await open(path, "w");
  const { line, count, round, picture } = createLines();
  const fillTo = async (end: number): Promise<void> => {
    for (let { size } = await file.stat(); size < end;) {
      const number = count();
      const text = round(`toolu_${number}`, resultText(number));
      size += (await file.write(`${text}${number % 400 < 2 ? picture(number) : ""}`)).bytesWritten;
    }
  };
  const needle = "the error: ZIRKONIUM listens on port 4711\n";
  await file.write(round("toolu_needle_start", `${resultText(1)}${needle}${resultText(2)}`));
  await fillTo(FILE_SIZE / 2);
  await file.write(round("toolu_needle_middle", `${resultText(4)}MOLYBDÄN-Ofen: 4712\n`));
  await file.write(line("system", undefined, { subtype: "compact_boundary", content: "Compacted" }));
  await file.write(line("user", "A summary of what was done.", { isCompactSummary: true }));
  await fillTo(FILE_SIZE);
  await file.close();
}
