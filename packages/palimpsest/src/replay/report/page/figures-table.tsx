import type { ComponentChildren } from "preact";
import { DataTable, type TableHead } from "../../../web/data-table.js";
import { formats } from "../../../web/formats.js";
import type { NamedFigures } from "../report-data.js";
import type { PolicyStyle } from "./policy-styles.js";

const HEADS: readonly (readonly [name: string, title: string])[] = [
  ["Policy", "With its answered turns and the largest prompt among them"],
  ["Full cost", "Dollars where what was forgotten is read again, and at 2 and 4 times the price of that"],
  ["Blind edits", "Edits of whose text to be replaced a line was nowhere in the context"],
  ["Blind turns", "Turns at which a line or a path was missing; requests that read again; sources lost"],
  ["Cost", "Dollars without reading again, calls for summaries and notes included"],
  ["To never forgetting", "Against an unlimited window and a cache that never loses anything"],
  ["Cache hit", "Tokens read from the cache of all input tokens"],
  ["Recall", "References of the next action that were still in its context"],
  ["User words", "Human messages still there word for word"],
  ["Invalid", "Requests that the API rejects: must be 0"],
  ["Overflow", "Requests over the window: must be 0"],
  ["Compactions", "How often each tier did something, and how often within three turns of the one before"],
  ["Side calls", "Calls beside the conversation, and what they cost"],
  [
    "CPU ms p50 / p99",
    "The policy's own work in a turn, and how it grows from the first quarter to the last",
  ],
];

const heads: readonly TableHead[] = HEADS.map(([name, title], index) => ({
  name,
  title,
  isNumber: index > 0,
}));

function Figure({ children, note = "" }: { readonly children: ComponentChildren; readonly note?: string }) {
  return (
    <td class="number">
      <span>{children}</span>
      {note === "" ? null : <span class="note">{note}</span>}
    </td>
  );
}

const MustBeNone = ({ value }: { readonly value: number }) => (
  <td class={value > 0 ? "number bad" : "number"}>{formats.count(value)}</td>
);

function Tiers({ figures }: { readonly figures: NamedFigures["figures"] }) {
  const counts = Object.entries(figures.compactions).filter(([, times]) => times > 0);
  return (
    <td class="tiers">
      {counts.length === 0 ? (
        <span class="note">none</span>
      ) : (
        counts.map(([tier, times]) => (
          <span class="tier" key={tier}>{`${tier} ${formats.count(times)}`}</span>
        ))
      )}
      {figures.recompactions > 0 ? (
        <span class="note">{formats.count(figures.recompactions)} soon again</span>
      ) : null}
    </td>
  );
}

function FiguresRow({ name, figures, style }: NamedFigures & { readonly style: PolicyStyle }) {
  return (
    <tr>
      <th scope="row">
        <span class={`swatch stroke ${style.hue} ${style.dash}`} aria-hidden="true" />
        <bdi>{name}</bdi>
        <span class="note">
          {formats.count(figures.turns)} turns, peak {formats.tokens(figures.peakTokens)}
        </span>
      </th>
      <Figure note={`×2 ${formats.dollars(figures.costAt["2"])}, ×4 ${formats.dollars(figures.costAt["4"])}`}>
        {formats.dollars(figures.fullCost)}
      </Figure>
      <Figure note={`${formats.count(figures.blindEdits)} of ${formats.count(figures.edits)}`}>
        {formats.share(figures.edits === 0 ? 0 : figures.blindEdits / figures.edits)}
      </Figure>
      <Figure
        note={`${formats.count(figures.regainRequests)} read again, ${formats.count(figures.lost)} lost`}
      >
        {formats.share(figures.turns === 0 ? 0 : figures.blindTurns / figures.turns)}
      </Figure>
      <Figure>{formats.dollars(figures.cost)}</Figure>
      <Figure>{formats.ratio(figures.costRatio)}</Figure>
      <Figure>{formats.share(figures.cacheHit)}</Figure>
      <Figure
        note={`${formats.count(figures.missingReferences)} of ${formats.count(figures.references)} missed`}
      >
        {formats.share(figures.recall)}
      </Figure>
      <Figure
        note={
          figures.userWordsUncapped < figures.userWords
            ? `${formats.share(figures.userWordsUncapped)} of all words`
            : ""
        }
      >
        {formats.share(figures.userWords)}
      </Figure>
      <MustBeNone value={figures.invalid} />
      <MustBeNone value={figures.overflow} />
      <Tiers figures={figures} />
      <Figure note={figures.sideCalls > 0 ? formats.dollars(figures.sideCost) : ""}>
        {formats.count(figures.sideCalls)}
      </Figure>
      <Figure note={`growth ${formats.ratio(figures.cpuGrowth)}`}>
        {formats.milliseconds(figures.cpuMsP50)} / {formats.milliseconds(figures.cpuMsP99)}
      </Figure>
    </tr>
  );
}

/** The headline figures, a row for each policy. */
export function FiguresTable(props: {
  readonly policies: readonly NamedFigures[];
  readonly caption: string;
  readonly styleOf: (name: string) => PolicyStyle;
}) {
  return (
    <DataTable caption={props.caption} heads={heads} class="figures">
      {props.policies.map(({ name, figures }) => (
        <FiguresRow key={name} name={name} figures={figures} style={props.styleOf(name)} />
      ))}
    </DataTable>
  );
}
