import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { formats } from "../../../web/formats.js";
import { ThemeSwitch } from "../../../web/theme-switch.js";
import type { ReportFile, ReportOverview } from "../report-data.js";
import { FailedTable } from "./detail-tables.js";
import { FiguresTable } from "./figures-table.js";
import { OneConversation } from "./one-conversation.js";
import { createPolicyStyles } from "./policy-styles.js";
import { ScatterChart } from "./scatter-chart.js";

const counted = (count: number, one: string): string =>
  `${formats.count(count)} ${one}${count === 1 ? "" : "s"}`;

/** A date as people write it, in UTC; nothing where there is none. */
function momentOf(milliseconds: number | null): string {
  const date = new Date(milliseconds ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? "" : `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

const summaryOf = ({ files, failed, rounds, unlimitedCost, generatedAt }: ReportOverview): string =>
  [
    counted(files.length, "conversation"),
    counted(rounds, "round"),
    Number.isFinite(unlimitedCost) ? `never forgetting would cost ${formats.dollars(unlimitedCost)}` : "",
    failed.length > 0 ? `${counted(failed.length, "file")} could not be played` : "",
    momentOf(generatedAt),
  ]
    .filter((part) => part !== "")
    .join(" · ");

/** The whole page. A conversation is read when it is chosen. */
export function Report(props: {
  readonly title: string;
  readonly overview: ReportOverview;
  readonly readFile: (index: number) => ReportFile;
}) {
  const { title, overview, readFile } = props;
  const chosen = useSignal(0);
  const policy = useSignal<string | null>(null);
  const styleOf = useMemo(() => createPolicyStyles(overview.total.map(({ name }) => name)), [overview]);
  const file = useMemo(
    () => (overview.files.length === 0 ? null : readFile(chosen.value)),
    [overview, chosen.value],
  );
  return (
    <main>
      <header>
        <div>
          <h1>{title}</h1>
          <p class="summary">{summaryOf(overview)}</p>
        </div>
        <ThemeSwitch />
      </header>

      <section aria-labelledby="total-heading">
        <h2 id="total-heading">All conversations</h2>
        <div id="total-figures">
          <FiguresTable
            policies={overview.total}
            caption="Figures of all conversations together"
            styleOf={styleOf}
          />
        </div>
        <p class="note">
          Full cost is the bill where an agent reads again what was forgotten. A blind edit had to quote text
          that was nowhere in its context; a blind turn lacked such a line or a path.
        </p>
        <p class="note">
          A policy with overflow did not finish: its cost is that of the turns it answered. Ratios are against
          an unlimited window and a cache that never loses anything.
        </p>
        {overview.total.length === 0 ? null : (
          <figure id="scatter-figure">
            <figcaption>
              <h3>Cost against recall</h3>
              <p>Up and to the left is better. A hollow point had invalid requests or overflow.</p>
            </figcaption>
            <div class="chart" id="scatter-chart">
              <ScatterChart policies={overview.total} styleOf={styleOf} />
            </div>
          </figure>
        )}
      </section>

      {file === null ? null : (
        <section id="file-section" aria-labelledby="file-heading">
          <h2 id="file-heading">One conversation</h2>
          <p class="choice">
            <label for="file-select">Conversation</label>{" "}
            <select
              id="file-select"
              value={String(chosen.value)}
              onChange={({ currentTarget }) => (chosen.value = Number(currentTarget.value))}
            >
              {overview.files.map((name, index) => (
                <option key={index} value={String(index)}>
                  {name}
                </option>
              ))}
            </select>
          </p>
          <OneConversation
            file={file}
            policy={policy.value}
            onPolicy={(name) => (policy.value = name)}
            styleOf={styleOf}
          />
        </section>
      )}

      {overview.failed.length === 0 ? null : (
        <section id="failed-section" aria-labelledby="failed-heading">
          <h2 id="failed-heading">Could not be played</h2>
          <div id="failed">
            <FailedTable files={overview.failed} />
          </div>
        </section>
      )}
    </main>
  );
}
