import { useSignal } from "@preact/signals";
import { DataTable } from "../../web/data-table.js";
import { formats } from "../../web/formats.js";
import { visibleLine } from "../../web/visible-text.js";
import type { ConversationOverview, PolicyList, WhatIf, WhatIfRequest } from "../contract.js";
import { SourceError } from "./data-source.js";
import { useInspector } from "./inspector-state.js";
import { Link } from "./link.js";
import { Empty, Failure, Loaded } from "./notices.js";
import { paths } from "./paths.js";
import { conversationRoute } from "./route.js";
import { Card } from "./small-parts.js";

/** This conversation under another policy: replayed by the server, its size a second line in the timeline. */
export function WhatIfView({ overview }: { readonly overview: ConversationOverview }) {
  const { answers, whatIfs } = useInspector();
  const jobs = whatIfs.value.filter(({ conversation }) => conversation === overview.id);
  return (
    <div class="cards">
      <Card
        title="What if"
        note="The same conversation under another policy, replayed against the simulated API"
        isWide
      >
        <Loaded<PolicyList>
          answer={answers.of<PolicyList>(paths.policies).value}
          path={paths.policies}
          loading="Reading the policies …"
        >
          {({ policies }) => (
            <WhatIfForm
              overview={overview}
              policies={policies}
              isRunning={jobs.some(({ state }) => state === "running")}
            />
          )}
        </Loaded>
      </Card>
      <Card title="Results" isWide note="Full cost is the bill where an agent reads again what was forgotten">
        {jobs.length === 0 ? (
          <Empty>
            Choose a policy and start: what it would have cost appears here, and as a line in the timeline.
          </Empty>
        ) : (
          <Results overview={overview} jobs={jobs} />
        )}
      </Card>
    </div>
  );
}

function WhatIfForm(props: {
  readonly overview: ConversationOverview;
  readonly policies: PolicyList["policies"];
  readonly isRunning: boolean;
}) {
  const { overview, policies, isRunning } = props;
  const { source, noteWhatIf } = useInspector();
  const policy = useSignal(policies[0]?.name ?? "");
  const window = useSignal("");
  const lifetime = useSignal<"" | "5m" | "1h">("");
  const failure = useSignal<SourceError | null>(null);
  const start = async (): Promise<void> => {
    failure.value = null;
    const tokens = window.value.trim() === "" ? null : Number(window.value.replaceAll(/[\s,_]/g, ""));
    if (tokens !== null && !(Number.isInteger(tokens) && tokens > 0)) {
      failure.value = new SourceError({
        code: "window",
        status: 0,
        message: "The window must be a whole number of tokens, such as 200000.",
      });
      return;
    }
    const wanted: WhatIfRequest = {
      policy: policy.value,
      ...(tokens === null ? {} : { window: tokens }),
      ...(lifetime.value === "" ? {} : { lifetime: lifetime.value }),
    };
    try {
      noteWhatIf((await source.send("POST", paths.whatIf(overview.id), wanted)) as WhatIf);
    } catch (error) {
      failure.value =
        error instanceof SourceError
          ? error
          : new SourceError({ code: "failed", status: 0, message: "The replay could not be started." });
    }
  };
  return (
    <form
      class="what-if-form"
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      <label>
        Policy
        <select value={policy.value} onChange={({ currentTarget }) => (policy.value = currentTarget.value)}>
          {policies.map(({ name, title }) => (
            <option key={name} value={name}>
              {title === name ? name : `${name}: ${title}`}
            </option>
          ))}
        </select>
      </label>
      <label>
        Window
        <input
          inputMode="numeric"
          placeholder={overview.window === null ? "as recorded" : formats.count(overview.window)}
          value={window.value}
          onInput={({ currentTarget }) => (window.value = currentTarget.value)}
        />
      </label>
      <label>
        Cache lifetime
        <select
          value={lifetime.value}
          onChange={({ currentTarget }) => (lifetime.value = currentTarget.value as "" | "5m" | "1h")}
        >
          <option value="">the policy's own</option>
          <option value="5m">5 minutes</option>
          <option value="1h">1 hour</option>
        </select>
      </label>
      <button type="submit" class="strong" disabled={isRunning || policy.value === ""}>
        {isRunning ? "Running …" : "Start"}
      </button>
      {failure.value === null ? null : <Failure failure={failure.value} />}
    </form>
  );
}

function Results({
  overview,
  jobs,
}: {
  readonly overview: ConversationOverview;
  readonly jobs: readonly WhatIf[];
}) {
  return (
    <>
      <DataTable
        caption="What if: results"
        hidesCaption
        heads={[
          { name: "Policy" },
          { name: "Cost", isNumber: true },
          { name: "Against recorded", isNumber: true },
          { name: "Full cost", isNumber: true, title: "With what was forgotten read again" },
          { name: "Compactions", isNumber: true },
          {
            name: "Blind edits",
            isNumber: true,
            title: "Edits of whose text to be replaced a line was nowhere in the context",
          },
          {
            name: "Recall",
            isNumber: true,
            title: "References of the next action that were still in the context",
          },
        ]}
      >
        {jobs.toReversed().map((job) => (
          <Result key={job.job} job={job} />
        ))}
      </DataTable>
      {jobs.some(({ result }) => result !== undefined) ? (
        <p class="note">
          <Link to={conversationRoute(overview.id)}>See the lines in the timeline</Link>
        </p>
      ) : null}
    </>
  );
}

function Result({ job }: { readonly job: WhatIf }) {
  const { result, state, progress } = job;
  if (result !== undefined) {
    const { cost, recordedCost } = result;
    const difference = recordedCost === null ? null : cost - recordedCost;
    return (
      <tr>
        <th scope="row">{visibleLine(job.policy)}</th>
        <td class="number">{formats.dollars(cost)}</td>
        <td class="number">
          {difference === null
            ? "–"
            : difference < 0
              ? `${formats.dollars(-difference)} less`
              : `${formats.dollars(difference)} more`}
        </td>
        <td class="number">{formats.dollars(result.fullCost)}</td>
        <td class="number">{formats.count(result.compactions)}</td>
        <td class="number">
          {formats.count(result.blindEdits)} of {formats.count(result.edits)}
        </td>
        <td class="number">{formats.share(result.recall)}</td>
      </tr>
    );
  }
  return (
    <tr>
      <th scope="row">{visibleLine(job.policy)}</th>
      <td colSpan={6}>
        {state === "running" ? (
          <span class="progress-line" role="status">
            <progress max={1} value={progress} aria-label={`Replaying under ${visibleLine(job.policy)}`} />
            <span>{formats.share(progress)}</span>
            <Cancel job={job} />
          </span>
        ) : state === "cancelled" ? (
          "Called off"
        ) : (
          visibleLine(job.failure ?? "The replay failed and did not say why.")
        )}
      </td>
    </tr>
  );
}

function Cancel({ job }: { readonly job: WhatIf }) {
  const { source, noteWhatIf } = useInspector();
  const isAsked = useSignal(false);
  const cancel = async (): Promise<void> => {
    isAsked.value = true;
    try {
      const answer = (await source.send("DELETE", paths.job(job.job))) as WhatIf | null;
      if (answer !== null) noteWhatIf(answer);
    } catch {
      isAsked.value = false;
    }
  };
  return (
    <button type="button" disabled={isAsked.value} onClick={() => void cancel()}>
      {isAsked.value ? "Calling off …" : "Cancel"}
    </button>
  );
}
