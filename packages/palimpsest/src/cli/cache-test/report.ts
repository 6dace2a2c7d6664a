import type { CacheBreak } from "../../simulator/breaks/break-finder.js";
import { judgeAssertions, type Assertion, type JudgedAssertion } from "./assertions.js";
import type { FigureMeter, Figures, Refused } from "./figures.js";
import type { ChildEnd } from "./run-child.js";

/** What `--json` prints and `--report` writes. */
export interface CacheTestReport {
  readonly command: readonly string[];
  readonly child: ChildEnd;
  /** All assertions, and that anything was received at all. */
  readonly holds: boolean;
  /** Why nothing could be judged, as a sentence. */
  readonly problem: string | null;
  readonly assertions: readonly JudgedAssertion[];
  readonly figures: Figures;
  readonly breaks: readonly CacheBreak[];
  readonly refused: readonly Refused[];
  readonly shortPrompts: number;
}

const NOTHING_RECEIVED =
  "no request arrived, so nothing is shown: the program has to call the address in ANTHROPIC_BASE_URL " +
  "(assert requests=0 if none is meant to)";

export function judge(received: {
  readonly command: readonly string[];
  readonly child: ChildEnd;
  readonly assertions: readonly Assertion[];
  readonly meter: FigureMeter;
  readonly breaks: readonly CacheBreak[];
}): CacheTestReport {
  const { command, child, meter, breaks } = received;
  const figures = meter.figures(breaks);
  const assertions = judgeAssertions(received.assertions, figures);
  const isCounted = assertions.some(({ name }) => name === "requests");
  const isSilent = figures.requests === 0 && assertions.length > 0 && !isCounted;
  return {
    command,
    child,
    holds: !isSilent && assertions.every(({ holds }) => holds),
    problem: isSilent ? NOTHING_RECEIVED : null,
    assertions,
    figures,
    breaks,
    refused: meter.refusals,
    shortPrompts: meter.shortPrompts,
  };
}

/** The program's own failure goes first: nothing may hide it. */
export const exitCodeOf = ({ child, holds }: CacheTestReport): number =>
  child.exitCode === 0 ? (holds ? 0 : 1) : child.exitCode;
