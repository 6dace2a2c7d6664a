import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Job } from "./careful-player.js";

const PARTS = 5;

const pathOf = (part: number): string => `src/part-${part}.txt`;
const textOf = (part: number, value: number): string =>
  `value = ${value};\n${Array.from({ length: 30 }, (_, line) => `part ${part} line ${line} is filler`).join("\n")}\n`;
const shell = (command: string): Job => ({ tool: "Bash", input: { command } });

/** The files that `jobsAt` works on. */
export async function layOutWork(folder: string): Promise<void> {
  await mkdir(join(folder, "src"), { recursive: true });
  await writeFile(join(folder, "log.txt"), "");
  for (let part = 0; part < PARTS; part += 1) {
    await writeFile(join(folder, pathOf(part)), textOf(part, 0));
  }
}

/** What the model wants done in a step. All of it can be done again; what cannot has another way for that. */
export function jobsAt(step: number): readonly Job[] {
  const part = Math.floor(step / 4) % PARTS;
  const file = pathOf(part);
  switch (step % 4) {
    case 0:
      return [
        { tool: "Read", input: { file_path: file } },
        { tool: "Grep", input: { pattern: "value", path: "src", output_mode: "content" } },
      ];
    case 1: {
      const value = Math.floor(step / (4 * PARTS));
      const [before, after] = [`value = ${value};`, `value = ${value + 1};`];
      return [
        { tool: "Read", input: { file_path: file } },
        {
          tool: "Edit",
          input: { file_path: file, old_string: before, new_string: after },
          again: shell(`grep -qx '${after}' ${file} || sed -i 's/^${before}$/${after}/' ${file}`),
        },
      ];
    }
    case 2:
      return [
        shell(`seq -f 'step ${step} output %g' 1 200`),
        shell(`sleep 0.02; mkdir -p slow; echo ${step} > slow/${step}`),
      ];
    default:
      return [
        shell(`grep -qx 'step ${step}' log.txt || echo 'step ${step}' >> log.txt`),
        { tool: "Write", input: { file_path: `out/${step}.txt`, content: `This is step ${step}.\n` } },
      ];
  }
}
