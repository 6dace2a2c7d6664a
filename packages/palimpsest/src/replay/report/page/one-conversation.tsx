import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { formats } from "../../../web/formats.js";
import { Legend } from "../../../web/legend.js";
import { Quoted } from "../../../web/quoted.js";
import type { ReportFile, ReportPolicy } from "../report-data.js";
import { ContextChart } from "./context-chart.js";
import { ForgottenTable, LargestTable, MarksTable, MissingTable } from "./detail-tables.js";
import { FiguresTable } from "./figures-table.js";
import { LineChart, type ChartLine } from "./line-chart.js";
import type { PolicyStyle } from "./policy-styles.js";

const factsOf = (file: ReportFile): readonly (readonly [string, string])[] => [
  ["Format", file.format],
  ["Model", file.model],
  ["Window", formats.tokens(file.window)],
  ["Rounds", formats.count(file.rounds)],
  ["Human messages", formats.count(file.humanMessages)],
  ["System prompt and tools", `${formats.tokens(file.head.tokens)} (${file.head.from})`],
  ["Never forgetting", formats.dollars(file.unlimitedCost)],
  [
    "Recorded compactions",
    `${formats.count(file.undoneCompactions)} undone, ${formats.count(file.keptCompactions)} kept`,
  ],
  ["Damaged lines", formats.count(file.damagedLines)],
];

const turnsTo = (file: ReportFile): number =>
  Math.max(1, ...file.policies.map(({ series }) => (series?.turns.at(-1) ?? 0) + 1));

/** Everything about one conversation, with its charts where the replay kept figures for each turn. */
export function OneConversation(props: {
  readonly file: ReportFile;
  /** The policy whose context is shown, by name; the first that has a chart where this file has none of that name. */
  readonly policy: string | null;
  readonly onPolicy: (name: string) => void;
  readonly styleOf: (name: string) => PolicyStyle;
}) {
  const { file, styleOf } = props;
  const drawn = file.policies.filter(({ series }) => series !== null);
  const policy = file.policies.find(({ name }) => name === props.policy) ?? drawn[0] ?? file.policies[0];
  const hasParts = file.policies.some(({ missing, largest }) => missing.length + largest.length > 0);
  const ended = file.policies.filter(({ endedAtTurn }) => endedAtTurn !== null);
  return (
    <>
      <dl class="facts" id="file-facts">
        {factsOf(file).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div id="file-figures">
        <FiguresTable policies={file.policies} caption="Figures of this conversation" styleOf={styleOf} />
      </div>
      {ended.length === 0 ? null : (
        <ul class="endings" id="file-endings">
          {ended.map(({ name, endedAtTurn, endedBecause }) => (
            <li key={name}>
              <strong>{name}</strong> ended at turn {formats.count(endedAtTurn)}:{" "}
              <Quoted text={endedBecause ?? "no reason given"} />
            </li>
          ))}
        </ul>
      )}
      {drawn.length > 0 ? null : (
        <p class="note" id="no-series">
          This replay was run without figures for each turn: there are no charts.
        </p>
      )}
      {drawn.length > 0 || hasParts ? (
        <p class="choice" id="policy-choice">
          <label for="policy-select">Policy</label>{" "}
          <select
            id="policy-select"
            value={policy?.name ?? ""}
            onChange={({ currentTarget }) => props.onPolicy(currentTarget.value)}
          >
            {file.policies.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </p>
      ) : null}
      {policy === undefined ? null : <OnePolicy file={file} policy={policy} />}
      {drawn.length > 0 ? <SideBySide file={file} drawn={drawn} styleOf={styleOf} /> : null}
    </>
  );
}

function OnePolicy({ file, policy }: { readonly file: ReportFile; readonly policy: ReportPolicy }) {
  const { series, missing, forgotten, largest } = policy;
  return (
    <>
      {series === null ? null : (
        <figure id="context-figure">
          <figcaption>
            <h3>Context over turns</h3>
            <p>
              Tokens of each request by kind. Point at the chart, or focus it and use the arrow keys, for
              values.
            </p>
            <Legend kinds={series.kinds.map(({ kind }) => ({ name: kind }))} />
          </figcaption>
          <div class="chart" id="context-chart">
            <ContextChart policy={policy.name} series={series} window={file.window} turnsTo={turnsTo(file)} />
          </div>
        </figure>
      )}
      {series === null || series.marks.length === 0 ? null : (
        <details id="marks-box">
          <summary>Clearings, compactions, cache breaks and blind turns</summary>
          <MarksTable marks={series.marks} />
        </details>
      )}
      {largest.length === 0 ? null : (
        <details id="largest-box" open>
          <summary>Largest items</summary>
          <LargestTable policy={policy} />
        </details>
      )}
      {missing.length + forgotten.length === 0 ? null : (
        <details id="missing-box">
          <summary>What was missing</summary>
          <ForgottenTable policy={policy} />
          <MissingTable policy={policy} />
        </details>
      )}
    </>
  );
}

function SideBySide(props: {
  readonly file: ReportFile;
  readonly drawn: readonly ReportPolicy[];
  readonly styleOf: (name: string) => PolicyStyle;
}) {
  const { file, drawn, styleOf } = props;
  const hidden = useSignal<ReadonlySet<string>>(new Set());
  const shown = hidden.value;
  const linesOf = (values: (policy: ReportPolicy) => readonly number[]): ChartLine[] =>
    drawn
      .filter(({ name }) => !shown.has(name))
      .map((policy) => ({
        name: policy.name,
        style: styleOf(policy.name),
        turns: policy.series?.turns ?? [],
        values: values(policy),
        ended: policy.endedAtTurn !== null,
      }));
  const costs = useMemo(() => linesOf(({ series }) => series?.cost ?? []), [drawn[0], file, shown]);
  const missed = useMemo(() => linesOf(({ series }) => series?.missing ?? []), [drawn[0], file, shown]);
  const toggle = (name: string): void => {
    const next = new Set(shown);
    if (!next.delete(name)) next.add(name);
    hidden.value = next;
  };
  return (
    <div id="line-figures">
      <h3>Policies side by side</h3>
      <div class="legend" id="line-legend" role="group" aria-label="Policies in the charts below">
        {drawn.map(({ name }) => {
          const { hue, dash } = styleOf(name);
          return (
            <button key={name} type="button" aria-pressed={!shown.has(name)} onClick={() => toggle(name)}>
              <span class={`swatch stroke ${hue} ${dash}`} aria-hidden="true" />
              {name}
            </button>
          );
        })}
      </div>
      <figure>
        <figcaption>
          <h4>Cost over turns</h4>
          <p>Dollars so far, side calls included. A cross is where a conversation could not go on.</p>
        </figcaption>
        <div class="chart" id="cost-chart">
          <LineChart
            id="cost-plot"
            label="Cost over turns, by policy"
            valueFormat={formats.dollars}
            tickFormat={formats.roundDollars}
            lines={costs}
            turnsTo={turnsTo(file)}
          />
        </div>
      </figure>
      <figure>
        <figcaption>
          <h4>Recall missed over turns</h4>
          <p>References that an action used and its context no longer held.</p>
        </figcaption>
        <div class="chart" id="recall-chart">
          <LineChart
            id="recall-plot"
            label="References missed over turns, by policy"
            valueFormat={formats.count}
            tickFormat={wholeCount}
            lines={missed}
            turnsTo={turnsTo(file)}
          />
        </div>
      </figure>
    </div>
  );
}

const wholeCount = (value: number): string => (Number.isInteger(value) ? formats.count(value) : "");
