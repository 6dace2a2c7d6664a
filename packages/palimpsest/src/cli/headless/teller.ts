import { accountOf, accountTotal, type BilledCall, type EngineEvents, type Pressure } from "@palimpsest/core";
import { describeBreak } from "@palimpsest/core/engine";
import type { AgentEvent } from "../../agent/base/agent-event.js";
import type { CompactionProgress } from "../../agent/session/compaction-progress.js";
import type { Session } from "../../agent/session/session.js";
import { formatNumber } from "../terminal.js";
import {
  breakerSentence,
  closedSentence,
  compactionRemarks,
  earlySentence,
  failureSentence,
  nativeSentence,
  progressSentence,
  stepSentence,
} from "./engine-words.js";
import type { StreamLine } from "./stream-line.js";
import { eventLine } from "./stream-lines.js";

type Told = Pick<Session, "id" | "conversation" | "events" | "cacheBreakFile">;

interface TellerParts {
  /** Events go to stdout as lines for programs; else as sentences to stderr. */
  readonly isStream: boolean;
  readonly write: (line: StreamLine) => void;
  readonly complain: (text: string) => void;
}

/** Tells the person, or the program that listens, what happens in a session: one line for each thing. */
export class Teller {
  readonly #parts: TellerParts;
  #session: Told | undefined;
  #isBegun = false;
  #hasToldOfCompaction = false;
  /** A failure that repeats itself before every request is told once. */
  #lastFailure: string | undefined;
  #pressure: Pressure = "none";

  constructor(parts: TellerParts) {
    this.#parts = parts;
  }

  /** Clearings that the provider made by itself; nobody else hears of them. */
  onNativeClearing: () => void = () => {};

  /** From here on what the engine tells is told. */
  listenTo(session: Told): void {
    this.#session = session;
    const { events } = session;
    events.on("summary_retried", ({ source: _who, ...retry }) => this.hear({ kind: "retry", ...retry }));
    events.on("compact_failed", (failed) => this.#failed(failed));
    events.on("breaker_tripped", (tripped) => {
      const { failuresInARow, reason, cooldownMs } = tripped;
      this.#tell(
        { subtype: "breaker_tripped", failures_in_a_row: failuresInARow, reason, cooldown_ms: cooldownMs },
        breakerSentence(tripped),
      );
    });
    events.on("breaker_closed", (closed) =>
      this.#tell(
        { subtype: "breaker_closed", failures_in_a_row: closed.failuresInARow },
        closedSentence(closed),
      ),
    );
    events.on("recompacted_early", (early) => {
      const { roundsSinceLast, threshold } = early;
      this.#tell(
        { subtype: "recompacted_early", rounds_since_last: roundsSinceLast, threshold },
        earlySentence(early),
      );
    });
    events.on("clearing", (cleared) => {
      const { variant, tokensBefore, tokensAfter } = cleared;
      if (variant !== "api-native") return;
      this.onNativeClearing();
      const text = nativeSentence(cleared);
      this.#tell({ subtype: "context", tier: variant, tokensBefore, tokensAfter, text }, text);
    });
  }

  /** The first line was written: programs expect all others there too. */
  begin(): void {
    this.#isBegun = true;
  }

  /** A sentence for the person. */
  notice(text: string): void {
    this.#tell({ subtype: "notice", text }, text);
  }

  /** What a compaction is at; undefined when it is over. */
  compaction(progress: CompactionProgress | undefined): void {
    if (progress === undefined) {
      this.#hasToldOfCompaction = false;
      this.#tell({ subtype: "status", status: null }, undefined);
      return;
    }
    const { phase, text, milliseconds, contextTokens, summaryTokens, isSignOfLife } = progress;
    // One line when a summary is asked for, and what follows only as long as it takes.
    const isFirst = phase === "summarising" && !this.#hasToldOfCompaction;
    if (isFirst) this.#hasToldOfCompaction = true;
    this.#tell(
      {
        subtype: "status",
        status: "compacting",
        phase,
        text,
        elapsed_ms: milliseconds,
        context_tokens: contextTokens,
        summary_tokens: summaryTokens,
        is_sign_of_life: isSignOfLife,
      },
      isFirst || isSignOfLife ? progressSentence(progress) : undefined,
    );
  }

  hear(event: AgentEvent): void {
    switch (event.kind) {
      case "notice":
        this.notice(event.text);
        return;
      case "step": {
        const { compacted } = event.step;
        const line = this.#lineOf(event);
        const more = compacted && {
          writer: compacted.writer,
          trigger: compacted.trigger,
          ...costOf(compacted.calls),
          duration_ms: compacted.durationMs,
          failed_attempts: compacted.failedAttempts,
        };
        this.#tell({ ...line, ...more }, stepSentence(event.step));
        for (const remark of compactionRemarks(event.step)) this.notice(remark);
        this.#lastFailure = undefined;
        return;
      }
      case "cache-break": {
        const text = describeBreak(event.cacheBreak);
        const file = this.#session?.cacheBreakFile(event.cacheBreak);
        this.#tell(
          { ...this.#lineOf(event), text, ...(file === undefined ? {} : { details: file }) },
          file === undefined ? text : `${text} What changed: ${file}`,
        );
        return;
      }
      default: {
        const line = this.#lineOf(event);
        if (line !== undefined) this.#tell(line, undefined);
      }
    }
    if (event.kind === "message") this.#weigh();
  }

  #lineOf(event: AgentEvent): StreamLine | undefined {
    return eventLine(event, this.#session?.id ?? "");
  }

  #failed(failed: EngineEvents["compact_failed"]): void {
    const { reason, message, trigger, calls } = failed;
    const sentence = failureSentence(failed);
    const isRepeated = sentence !== undefined && calls.length === 0 && sentence === this.#lastFailure;
    this.#lastFailure = sentence ?? this.#lastFailure;
    this.#tell(
      { subtype: "compact_failed", reason, message, trigger, calls, ...costOf(calls) },
      isRepeated ? undefined : sentence,
    );
  }

  /** Tells once that the context has grown past a threshold, and again once it was below it. */
  #weigh(): void {
    if (this.#session === undefined) return;
    const { pressure, padded, percentLeft, thresholds } = this.#session.conversation.size();
    const isWorse = rank[pressure] > rank[this.#pressure];
    this.#pressure = pressure;
    if (!isWorse || (pressure !== "warn" && pressure !== "error")) return;
    const { limit, isAutoCompactOn } = thresholds;
    const end = isAutoCompactOn ? "it is compacted" : "no request fits, and automatic compaction is off";
    const sentence =
      `the context has ${formatNumber(padded)} of ${formatNumber(limit)} tokens: ` +
      `${percentLeft}% left until ${end}`;
    this.#tell(
      { subtype: "context_warning", level: pressure, tokens: padded, limit, percent_left: percentLeft },
      sentence,
    );
  }

  #tell(line: StreamLine, sentence: string | undefined): void {
    const { isStream, write, complain } = this.#parts;
    if (isStream && this.#isBegun) write({ type: "system", ...line, session_id: this.#session?.id });
    else if (sentence !== undefined) complain(sentence);
  }
}

const rank: Readonly<Record<Pressure, number>> = { none: 0, warn: 1, error: 2, compact: 3, hard: 4 };

const costOf = (calls: readonly BilledCall[]): { readonly cost_usd: number } => ({
  cost_usd: accountTotal(accountOf(calls)).dollars,
});
