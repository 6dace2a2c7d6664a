import { DataTable } from "../../web/data-table.js";
import { formats } from "../../web/formats.js";
import { Quoted } from "../../web/quoted.js";
import { visibleLine } from "../../web/visible-text.js";
import type { ConversationOverview, TokenSums } from "../contract.js";
import { Link } from "./link.js";
import { Empty } from "./notices.js";
import { conversationRoute } from "./route.js";
import { Card, Kind, Line, Tokens } from "./small-parts.js";

/** What is large, what was read twice, and where the money went. */
export function Contents({ overview }: { readonly overview: ConversationOverview }) {
  return (
    <div class="cards">
      <Largest overview={overview} />
      <div class="cards wide">
        <CostByKind overview={overview} />
        <CostByTool overview={overview} />
        <DuplicateReads overview={overview} />
      </div>
      <Models overview={overview} />
    </div>
  );
}

function Largest({ overview }: { readonly overview: ConversationOverview }) {
  const total = overview.parts.reduce((sum, { tokens }) => sum + tokens, 0);
  return (
    <Card id="largest" title="Largest items" note="Of the newest request" isWide>
      {overview.largest.length === 0 ? (
        <Empty>There is nothing in the context yet.</Empty>
      ) : (
        <DataTable
          caption="Largest items of the newest request"
          hidesCaption
          heads={[
            { name: "Kind" },
            { name: "Item" },
            { name: "Since request", isNumber: true, class: "less" },
            { name: "Tokens", isNumber: true },
            { name: "Of all", isNumber: true, class: "less" },
          ]}
        >
          {overview.largest.map(({ block, kind, what, tokens, estimated, request }) => (
            <tr key={block}>
              <td class="tight">
                <Kind kind={kind} />
              </td>
              <td class="wide-cell">
                <Link to={conversationRoute(overview.id, "requests", request, block)} isRow>
                  <Line text={what} />
                </Link>
              </td>
              <td class="number less">{formats.count(request)}</td>
              <td class="number">
                <Tokens count={tokens} estimated={estimated} />
              </td>
              <td class="number less">{formats.share(tokens / Math.max(1, total))}</td>
            </tr>
          ))}
        </DataTable>
      )}
    </Card>
  );
}

function Bar({ share }: { readonly share: number }) {
  return (
    <span class="bar" aria-hidden="true">
      <span style={{ width: `${Math.max(0, Math.min(1, share)) * 100}%` }} />
    </span>
  );
}

function CostByKind({ overview }: { readonly overview: ConversationOverview }) {
  const rows = overview.costByKind
    .filter(({ cost }) => cost > 0)
    .toSorted((one, other) => other.cost - one.cost);
  const total = rows.reduce((sum, { cost }) => sum + cost, 0);
  return (
    <Card
      title="Cost by kind"
      note={`Input tokens over all requests, divided by estimated sizes. The cache saved ${formats.dollars(overview.cacheSaved)}.`}
    >
      {rows.length === 0 ? (
        <Empty>Nothing is known of prices of this model.</Empty>
      ) : (
        <DataTable
          caption="Cost by kind"
          hidesCaption
          heads={[{ name: "Kind" }, { name: "Share" }, { name: "Cost", isNumber: true }]}
        >
          {rows.map(({ kind, cost }) => (
            <tr key={kind}>
              <td class="tight">
                <Kind kind={kind} />
              </td>
              <td class="bar-cell">
                <Bar share={cost / total} />
                {formats.share(cost / total)}
              </td>
              <td class="number">{formats.dollars(cost)}</td>
            </tr>
          ))}
        </DataTable>
      )}
    </Card>
  );
}

function CostByTool({ overview }: { readonly overview: ConversationOverview }) {
  const rows = overview.costByTool.toSorted((one, other) => other.cost - one.cost);
  const most = Math.max(0, ...rows.map(({ cost }) => cost));
  return (
    <Card
      title="Cost by tool"
      note="Of calls and results, as long as they were in the context, by estimated sizes"
    >
      {rows.length === 0 ? (
        <Empty>No tool was called.</Empty>
      ) : (
        <DataTable
          caption="Cost by tool"
          hidesCaption
          heads={[
            { name: "Tool" },
            { name: "Calls", isNumber: true },
            { name: "Tokens", isNumber: true },
            { name: "", class: "bar-alone" },
            { name: "Cost", isNumber: true },
          ]}
        >
          {rows.map(({ tool, calls, tokens, cost }) => (
            <tr key={tool}>
              <th scope="row" class="tool-name">
                <Quoted text={tool} />
              </th>
              <td class="number">{formats.count(calls)}</td>
              <td class="number">
                <Tokens count={tokens} estimated />
              </td>
              <td class="bar-cell bar-alone">
                <Bar share={most === 0 ? 0 : cost / most} />
              </td>
              <td class="number">{formats.dollars(cost)}</td>
            </tr>
          ))}
        </DataTable>
      )}
    </Card>
  );
}

function DuplicateReads({ overview }: { readonly overview: ConversationOverview }) {
  return (
    <Card title="Read more than once" note="The same content, again in the context">
      {overview.duplicateReads.length === 0 ? (
        <Empty>Nothing was read twice.</Empty>
      ) : (
        <DataTable
          caption="Read more than once"
          hidesCaption
          heads={[{ name: "What" }, { name: "Times", isNumber: true }, { name: "Tokens", isNumber: true }]}
        >
          {overview.duplicateReads.map(({ what, times, tokens }) => (
            <tr key={what}>
              <td>
                <Quoted text={what} />
              </td>
              <td class="number">{formats.count(times)}</td>
              <td class="number">
                <Tokens count={tokens} estimated />
              </td>
            </tr>
          ))}
        </DataTable>
      )}
    </Card>
  );
}

const SUMS: readonly { readonly name: string; readonly of: (usage: TokenSums) => number }[] = [
  { name: "Not cached", of: ({ input }) => input },
  { name: "Read", of: ({ cacheRead }) => cacheRead },
  { name: "Written, 5 min", of: ({ cacheWrite5m }) => cacheWrite5m },
  { name: "Written, 1 h", of: ({ cacheWrite1h }) => cacheWrite1h },
  { name: "Output", of: ({ output }) => output },
];

function Models({ overview }: { readonly overview: ConversationOverview }) {
  return (
    <Card
      id="models"
      title="Tokens and dollars by model"
      note="As usage tells them, calls for summaries included"
      isWide
    >
      <DataTable
        caption="Tokens and dollars by model"
        hidesCaption
        heads={[
          { name: "Model" },
          { name: "Requests", isNumber: true },
          ...SUMS.map(({ name }) => ({ name, isNumber: true })),
          { name: "Cost", isNumber: true },
        ]}
      >
        {overview.models.map(({ model, requests, usage, cost }) => (
          <tr key={model}>
            <th scope="row">{visibleLine(model)}</th>
            <td class="number">{formats.count(requests)}</td>
            {SUMS.map(({ name, of }) => (
              <td class="number" key={name}>
                {formats.count(of(usage))}
              </td>
            ))}
            <td class="number">{formats.dollars(cost)}</td>
          </tr>
        ))}
      </DataTable>
    </Card>
  );
}
