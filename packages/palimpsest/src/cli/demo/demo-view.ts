import type { TextSink } from "../terminal.js";
import type { DemoEvent, DemoMeter } from "./demo-event.js";
import { eventLines, meterLine, meterLines, type LineOptions } from "./demo-lines.js";

/** Shows the demo as it goes. */
export interface DemoView {
  readonly hear: (event: DemoEvent) => void;
  /** What is shown stays from now on. */
  readonly end: () => void;
}

/** On a terminal: what happens scrolls by, the meter stays below it. One writer, one write for each event. */
export function createLiveView(sink: TextSink, options: LineOptions): DemoView {
  let shown = 0;
  let meter: DemoMeter | undefined;
  const erase = (): string => (shown === 0 ? "" : `\u001b[${shown}A\r\u001b[J`);
  return {
    hear(event) {
      if (event.kind === "meter") ({ meter } = event);
      const above = eventLines(event, options);
      const below = meter === undefined ? [] : ["", ...meterLines(meter, options)];
      sink.write(`${erase()}${[...above, ...below].map((line) => `${line}\n`).join("")}`);
      shown = below.length;
    },
    end() {
      shown = 0;
    },
  };
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
            ? [meterLine(event.meter)]
            : []
          : eventLines(event, options);
      if (lines.length > 0) sink.write(`${lines.join("\n")}\n`);
    },
    end: () => {},
  };
}

/** For whoever wants the figures alone. */
export const silentView: DemoView = { hear: () => {}, end: () => {} };
