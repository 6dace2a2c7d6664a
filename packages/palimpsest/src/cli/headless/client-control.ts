import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Fields } from "../../agent/base/fields.js";
import { isFields } from "../../agent/base/fields.js";
import type { PermissionQuestion, PermissionVerdict } from "../../agent/loop/agent.js";
import type { SessionOptions } from "../../agent/session/session-options.js";
import { ControlError } from "./control-error.js";
import type { ControlLines } from "./read-prompts.js";
import type { StreamLine } from "./stream-line.js";

/** What carries out a control request; what it gives is the response. Throws `ControlError`. */
export type ControlHandler = (request: Fields) => Fields | Promise<Fields>;

const LONGEST_ID = 200;
const LONGEST_WORDS = 10_000;
const NOBODY = "The program that was to be asked has closed its end.";

/**
 * The program at the other end of the input and output, in the control protocol of this ecosystem: it sends requests
 * between its prompts, and is asked for permissions. What it answers is judged like what anybody says.
 */
export class ClientControl implements ControlLines {
  readonly #write: (line: StreamLine) => void;
  readonly #questions = new Map<string, (response: Fields | undefined) => void>();
  #handler: ControlHandler = () => {
    throw new ControlError("the session is not open yet");
  };
  #onUpdates: (updates: readonly unknown[]) => void = () => {};
  #listener = (): void => {};
  #hasEnded = false;
  #queued = 0;
  #turn: AbortController | undefined;
  #isNextCalledOff = false;

  constructor(write: (line: StreamLine) => void) {
    this.#write = write;
  }

  /** From now on requests are carried out. */
  attach(handler: ControlHandler, onUpdates: (updates: readonly unknown[]) => void): void {
    this.#handler = handler;
    this.#onUpdates = onUpdates;
  }

  take({ type, request_id: id, request, response }: Fields): boolean {
    switch (type) {
      case "control_request":
        if (typeof id !== "string" || id === "" || id.length > LONGEST_ID)
          throw new Error("has no request_id");
        void this.#carryOut(id, isFields(request) ? request : {});
        return true;
      case "control_response":
        this.#hear(isFields(response) ? response : {});
        return true;
      // Nothing that we carry out takes long enough to be cancelled.
      case "control_cancel_request":
      case "keep_alive":
        return true;
      default:
        return false;
    }
  }

  queued(): void {
    this.#queued += 1;
  }

  isAsking(): boolean {
    return this.#questions.size > 0;
  }

  onAsking(listener: () => void): void {
    this.#listener = listener;
  }

  ended(): void {
    this.#hasEnded = true;
    for (const settle of this.#questions.values()) settle(undefined);
  }

  /** A prompt is answered from now on; the signal is aborted when the program interrupts it. */
  beginTurn(): AbortSignal {
    this.#queued = Math.max(0, this.#queued - 1);
    this.#turn = new AbortController();
    if (this.#isNextCalledOff) this.#turn.abort();
    this.#isNextCalledOff = false;
    return this.#turn.signal;
  }

  endTurn(): void {
    this.#turn = undefined;
  }

  /** What is being answered, or else the prompt that is next. */
  interrupt(): void {
    if (this.#turn !== undefined) this.#turn.abort();
    else if (this.#queued > 0) this.#isNextCalledOff = true;
  }

  async #carryOut(id: string, request: Fields): Promise<void> {
    const tell = (response: Fields): void =>
      this.#write({ type: "control_response", response: { ...response, request_id: id } });
    try {
      const response = await this.#handler(request);
      tell({ subtype: "success", response });
    } catch (error) {
      tell({ subtype: "error", error: error instanceof Error ? error.message : String(error) });
    }
  }

  #hear(response: Fields): void {
    const { request_id: id } = response;
    // An answer that nobody waits for any more came too late.
    if (typeof id === "string") this.#questions.get(id)?.(response);
  }

  /** Undefined where nobody can answer. Rejects when the signal says so, and tells the program. */
  #ask(request: Fields, signal: AbortSignal): Promise<Fields | undefined> {
    if (this.#hasEnded) return Promise.resolve(undefined);
    const id = randomUUID();
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        this.#questions.delete(id);
        signal.removeEventListener("abort", onAbort);
      };
      const onAbort = (): void => {
        finish();
        this.#write({ type: "control_cancel_request", request_id: id });
        reject(new Error("It was interrupted."));
      };
      this.#questions.set(id, (response) => {
        finish();
        resolve(response);
      });
      signal.addEventListener("abort", onAbort, { once: true });
      this.#write({ type: "control_request", request_id: id, request });
      this.#listener();
      if (signal.aborted) onAbort();
    });
  }

  readonly ask = async (
    { tool, input, judgement, toolUseId, agentId }: PermissionQuestion,
    signal: AbortSignal,
  ): Promise<PermissionVerdict> => {
    const request = {
      subtype: "can_use_tool",
      tool_name: tool.definition.name,
      input,
      tool_use_id: toolUseId,
      decision_reason: judgement.reason,
      permission_suggestions: [],
      ...(agentId === undefined ? {} : { agent_id: agentId }),
    };
    const answer = this.#decision(await this.#ask(request, signal));
    if (answer.behavior === "deny") return { ...answer, behavior: "deny" };
    const { input: changed, ...rest } = answer;
    return changed === undefined || isDeepStrictEqual(changed, input)
      ? { ...rest, behavior: "allow" }
      : { ...answer, behavior: "allow" };
  };

  readonly approvePlan: NonNullable<SessionOptions["approvePlan"]> = async (plan, signal, toolUseId) => {
    const request = {
      subtype: "can_use_tool",
      tool_name: "ExitPlanMode",
      input: { plan },
      tool_use_id: toolUseId,
      decision_reason: "The agent hands in its plan.",
      permission_suggestions: [],
    };
    const { behavior, reason, input } = this.#decision(await this.#ask(request, signal));
    if (behavior === "deny") return { kind: "rejected", feedback: reason };
    const changed = input?.["plan"];
    return typeof changed === "string" && changed.trim() !== ""
      ? { kind: "approved", plan: changed }
      : { kind: "approved" };
  };

  /** What is not a decision denies. */
  #decision(response: Fields | undefined): PermissionVerdict {
    const deny = (reason: string): PermissionVerdict => ({ behavior: "deny", reason });
    if (response === undefined) return deny(`${NOBODY} Nobody is there to be asked.`);
    if (response["subtype"] === "error") {
      return deny(
        `The program that was asked could not decide: ${words(response["error"], "no reason given")}`,
      );
    }
    const { response: decision } = response;
    const { behavior, updatedInput, message, interrupt, updatedPermissions } = isFields(decision)
      ? decision
      : {};
    if (behavior === "deny") {
      return {
        ...deny(words(message, "The person did not allow this call.")),
        ...(interrupt === true ? { endsTurn: true } : {}),
      };
    }
    const isChanged = updatedInput !== undefined && updatedInput !== null;
    if (behavior !== "allow" || (isChanged && !isFields(updatedInput))) {
      return deny("The program that was asked gave an answer that is not a decision.");
    }
    if (Array.isArray(updatedPermissions)) this.#onUpdates(updatedPermissions);
    return {
      behavior: "allow",
      reason: "The person allowed it.",
      ...(isFields(updatedInput) ? { input: updatedInput } : {}),
    };
  }
}

const words = (value: unknown, otherwise: string): string =>
  typeof value === "string" && value.trim() !== "" ? value.trim().slice(0, LONGEST_WORDS) : otherwise;
