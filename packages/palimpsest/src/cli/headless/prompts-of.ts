import type { AgentFlags } from "./open-agent.js";
import type { PipedInput } from "../terminal.js";
import { MOST_INPUT_BYTES, readPiped } from "./read-piped.js";
import { readPrompts, type ControlLines, type Prompt } from "./read-prompts.js";
import { StartError } from "./start-error.js";

export interface PromptFlags extends Pick<AgentFlags, "resume" | "continue"> {
  readonly prompt?: string;
  readonly inputFormat: "text" | "stream-json";
  /** The prompt stays word for word through every compaction. */
  readonly pin?: boolean;
}

/**
 * What the agent is asked: one prompt of the command line with what is piped in after it, or one for each line.
 * Undefined goes on where a resumed conversation stands. Rejects with `StartError` where there is nothing.
 */
export async function promptsOf(
  flags: PromptFlags,
  {
    stdin,
    signal,
    complain,
    control,
  }: {
    readonly stdin: PipedInput;
    readonly signal: AbortSignal;
    readonly complain: (text: string) => void;
    /** Who hears the lines between the prompts. */
    readonly control?: ControlLines;
  },
): Promise<AsyncIterable<Prompt | undefined>> {
  const given = flags.prompt?.trim() ?? "";
  if (flags.inputFormat === "stream-json") {
    if (given !== "")
      throw new StartError("--input-format stream-json takes its prompts from the input alone");
    if (flags.pin === true)
      throw new StartError('--pin is for one prompt: write "pin": true into a line of the input');
    return readPrompts(stdin, signal, control);
  }
  const isResumed = flags.resume !== undefined || flags.continue === true;
  const piped = await readPiped(stdin, { isNeeded: given === "" && !isResumed, signal });
  if (piped.isTooLong) {
    const limit = MOST_INPUT_BYTES / 1024 / 1024;
    throw new StartError(`the input is longer than ${limit} MiB: pipe in less, or name a file in the prompt`);
  }
  if (piped.hasTimedOut) {
    complain("nothing came from the input for 3 seconds: going on without it (</dev/null says so at once)");
  }
  const content = given === "" ? piped.text : given;
  const beside = given === "" || piped.text === "" ? {} : { piped: piped.text };
  if (content === "" && flags.pin === true) throw new StartError("--pin needs a prompt");
  if (content === "" && !isResumed && !signal.aborted) {
    throw new StartError("there is no prompt: give one with -p, or pipe it in");
  }
  return (async function* () {
    yield content === ""
      ? undefined
      : { content, ...beside, ...(flags.pin === true ? { isPinned: true } : {}) };
  })();
}
