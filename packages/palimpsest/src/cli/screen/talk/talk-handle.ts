import type { PromptResult } from "../../../agent/commands/answer-prompt.js";
import type { Session } from "../../../agent/session/session.js";
import type { AgentFlags, OpenedAgent } from "../../headless/open-agent.js";
import type { Tone } from "../state/item.js";
import type { Surface } from "../surface/surface.js";
import type { KeptCopies } from "./kept-copies.js";
import type { Review } from "./review.js";
import type { ScreenInspector } from "./screen-inspector.js";

export interface TalkParts {
  readonly surface: Surface;
  /** Opens another conversation; rejects as `openAgent` does. */
  readonly open: (
    flags: Partial<AgentFlags>,
  ) => Promise<{ readonly opened: OpenedAgent; readonly copies: KeptCopies }>;
  readonly review: Review;
  readonly inspector: ScreenInspector;
  readonly cwd: string;
  readonly home: string;
  readonly dataDirectory: string;
  readonly configDirectory: string;
  readonly env: NodeJS.ProcessEnv;
  readonly now: () => number;
}

/** A conversation, as commands of the screen know it. */
export interface TalkHandle {
  readonly parts: TalkParts;
  readonly opened: OpenedAgent;
  readonly session: Session;
  readonly surface: Surface;
  readonly copies: KeptCopies;
  readonly notice: (text: string, tone?: Tone) => void;
  readonly output: (text: string) => void;
  readonly showStatus: () => void;
  /** Has a prompt answered: words for the model, or a command of the agent's own. */
  readonly say: (text: string, signal: AbortSignal) => Promise<PromptResult>;
  /** Goes on with another conversation; the one before is ended in good order. */
  readonly switchTo: (flags: Partial<AgentFlags>, source: "clear" | "resume") => Promise<void>;
  /** Does something that nobody has typed; undefined where something else is under way, or it went wrong and that was told. */
  readonly between: <T>(run: (signal: AbortSignal) => Promise<T>) => Promise<T | undefined>;
  readonly leave: () => void;
}
