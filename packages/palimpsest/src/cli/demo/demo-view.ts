import type { TextSink } from "../terminal.js";
import type { DemoEvent } from "./demo-event.js";
import { eventLines, meterLines, type LineOptions } from "./demo-lines.js";

/** Shows the demo as it goes. */
export interface DemoView {
  readonly hear: (event: DemoEvent) => void;
  /** What is shown stays from now on. */
  readonly end: () => void;
}

/** Every so many responses the meter is told. */
const EVERY = 10;

/** Plain lines, for pipes and files. */
export function createPlainView(sink: TextSink, options: LineOptions): DemoView {
  return {
    hear(event) {
      const lines =
        event.kind === "meter"
          ? event.meter.responses % EVERY === 0
            ? meterLines(event.meter, options)
            : []
          : eventLines(event, options);
      if (lines.length > 0) sink.write(`${lines.join("\n")}\n`);
    },
    end: () => {},
  };
}

/** For whoever wants the figures alone. */
export const silentView: DemoView = { hear: () => {}, end: () => {} };
