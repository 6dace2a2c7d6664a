import { signal, type ReadonlySignal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { InspectorEvent, WhatIf } from "../contract.js";
import { createAnswers, type Answers } from "./answers.js";
import type { Connection, DataSource } from "./data-source.js";
import { paths } from "./paths.js";

interface Indexing {
  readonly bytesRead: number;
  readonly bytes: number;
}

/** What the views share. */
export interface InspectorState {
  readonly source: DataSource;
  readonly answers: Answers;
  readonly connection: ReadonlySignal<Connection>;
  /** By conversation, as long as it is being read. */
  readonly indexing: ReadonlySignal<ReadonlyMap<string, Indexing>>;
  /** What was asked for since the page was opened, newest last. */
  readonly whatIfs: ReadonlySignal<readonly WhatIf[]>;
  readonly noteWhatIf: (job: WhatIf) => void;
}

export function createInspectorState(source: DataSource): InspectorState {
  const answers = createAnswers(source);
  const connection = signal<Connection>("connecting");
  const indexing = signal<ReadonlyMap<string, Indexing>>(new Map());
  const whatIfs = signal<readonly WhatIf[]>([]);

  const noteWhatIf = (job: WhatIf): void => {
    const place = whatIfs.value.findIndex((one) => one.job === job.job);
    whatIfs.value = place === -1 ? [...whatIfs.value, job] : whatIfs.value.with(place, job);
  };

  const askForJobsAgain = (): void => {
    for (const { job, state } of whatIfs.value) {
      if (state !== "running") continue;
      source
        .get(paths.job(job))
        .then((answer) => noteWhatIf(answer as WhatIf))
        .catch(() => {});
    }
  };

  const noteIndexing = (id: string, progress: Indexing): void => {
    const next = new Map(indexing.value);
    if (progress.bytesRead >= progress.bytes) next.delete(id);
    else next.set(id, progress);
    indexing.value = next;
  };

  const onEvent = (event: InspectorEvent): void => {
    switch (event.type) {
      case "conversations":
        answers.refresh(paths.list);
        return;
      case "conversation":
        answers.refresh(paths.conversation(event.id));
        return;
      case "indexing":
        noteIndexing(event.id, event);
        return;
      case "what-if":
        // Of others who look at the same server nothing is shown here.
        if (whatIfs.value.some(({ job }) => job === event.job.job)) noteWhatIf(event.job);
        return;
      case "reset":
        indexing.value = new Map();
        answers.refresh("/api/");
        askForJobsAgain();
    }
  };

  let hasConnected = false;
  source.follow({
    onEvent,
    onConnection: (state) => {
      if (state === "connected" && connection.value !== "connected") {
        // What happened meanwhile may not all be told again.
        if (hasConnected) onEvent({ type: "reset" });
        hasConnected = true;
      }
      connection.value = state;
    },
    signal: new AbortController().signal,
  });
  return { source, answers, connection, indexing, whatIfs, noteWhatIf };
}

export const InspectorContext = createContext<InspectorState | null>(null);

export function useInspector(): InspectorState {
  const state = useContext(InspectorContext);
  if (state === null) throw new Error("no inspector around this component");
  return state;
}
