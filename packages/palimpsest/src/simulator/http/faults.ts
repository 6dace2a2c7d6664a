import { errorStatus } from "@palimpsest/core/protocols";
import type { Delivery } from "../player.js";

/** What goes wrong with one request. */
export type Fault =
  | { readonly fault: "401" | "413" | "500" | "529" }
  | { readonly fault: "429"; readonly retryAfterSeconds: number }
  /** The connection is cut after so many events; before the response begins for 0. */
  | { readonly fault: "cut"; readonly events: number }
  /** An `error` event of this type ends the stream after so many events. */
  | { readonly fault: "error"; readonly events: number; readonly type: string }
  /** A wait before every event but the first. */
  | { readonly fault: "slow"; readonly milliseconds: number }
  /** A wait before the response begins. */
  | { readonly fault: "delay"; readonly milliseconds: number };

/** Which requests: by their number, counted from 1, or the next ones from now on. */
export type FaultSpan = { readonly from: number; readonly to: number } | { readonly next: number };

export interface FaultRule {
  readonly fault: Fault;
  readonly span: FaultSpan;
}

/** The faults that are still to come. Every `POST /v1/messages` counts, whatever becomes of it. */
export interface FaultPlan {
  /** Replaces what is planned. */
  set(rules: readonly FaultRule[]): void;
  /** Counts a request and tells what is to go wrong with it. */
  take(): readonly Fault[];
  /** Forgets every fault and counts from 1 again. */
  reset(): void;
  /** How many requests were counted, and what is planned for later ones. */
  state(): { readonly requests: number; readonly planned: readonly PlannedFault[] };
}

interface PlannedFault {
  readonly fault: Fault;
  readonly from: number;
  /** Infinity for a fault without end. */
  readonly to: number;
}

export function createFaultPlan(rules: readonly FaultRule[] = []): FaultPlan {
  let requests = 0;
  let planned: readonly PlannedFault[] = [];
  const plan: FaultPlan = {
    set(rules) {
      planned = rules.map(({ fault, span }) =>
        "next" in span ? { fault, from: requests + 1, to: requests + span.next } : { fault, ...span },
      );
    },
    take() {
      requests += 1;
      if (planned.length === 0) return [];
      const due = planned.filter(({ from, to }) => from <= requests && requests <= to);
      planned = planned.filter(({ to }) => to > requests);
      return due.map(({ fault }) => fault);
    },
    reset() {
      requests = 0;
      planned = [];
    },
    state: () => ({ requests, planned: planned.filter(({ to }) => to > requests) }),
  };
  plan.set(rules);
  return plan;
}

/** A delivery with the faults that concern it; of two that say the same the fault, and the later one, wins. */
export function disturb(delivery: Delivery, faults: readonly Fault[]): Delivery {
  return Object.assign({}, delivery, ...faults.map(disturbance)) as Delivery;
}

function disturbance(fault: Fault): Delivery {
  switch (fault.fault) {
    case "cut":
      return { cutAfterEvents: fault.events };
    case "slow":
      return { eventDelayMs: fault.milliseconds };
    case "delay":
      return { delayMs: fault.milliseconds };
    case "error": {
      const { events, type } = fault;
      return { errorAfterEvents: { events, type, message: messageOf(type) } };
    }
    default:
      return {};
  }
}

const messageOf = (type: string): string =>
  type === "overloaded_error" ? "Overloaded" : errorStatus(type) >= 500 ? "Internal server error" : type;
