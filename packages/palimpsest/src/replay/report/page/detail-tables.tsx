import { DataTable } from "../../../web/data-table.js";
import { formats } from "../../../web/formats.js";
import { Quoted } from "../../../web/quoted.js";
import type { FailedFile } from "../../results/policy-result.js";
import type { ReportMark, ReportPolicy } from "../report-data.js";

const LISTED_MARKS = 200;

const MARK_NAMES: Readonly<Record<ReportMark["what"], string>> = {
  compacted: "compacted",
  cleared: "cleared",
  broken: "cache break",
  blind: "blind turn",
};

const detailOf = (mark: ReportMark): string =>
  mark.what === "blind"
    ? ""
    : mark.what === "broken"
      ? `${formats.tokens(mark.before)} lost`
      : `${formats.tokens(mark.before)} → ${formats.tokens(mark.after)}`;

/** The largest ones, in the order of turns. */
export function MarksTable({ marks }: { readonly marks: readonly ReportMark[] }) {
  const weight = (mark: ReportMark): number => mark.before - mark.after;
  const listed = marks
    .toSorted((one, other) => weight(other) - weight(one))
    .slice(0, LISTED_MARKS)
    .toSorted((one, other) => one.turn - other.turn);
  return (
    <DataTable
      caption={
        marks.length > listed.length
          ? `The ${listed.length} largest of ${formats.count(marks.length)} marks`
          : `${formats.count(marks.length)} marks, in the order of turns`
      }
      heads={[
        { name: "Turn" },
        { name: "What" },
        { name: "Tier or reason" },
        { name: "Tokens", isNumber: true },
        { name: "Cost", title: "Of a cache break", isNumber: true },
      ]}
    >
      {listed.map((mark, index) => (
        <tr key={index}>
          <td>{formats.count(mark.turn)}</td>
          <td>
            <span class={`swatch mark-${mark.what}`} aria-hidden="true" />
            <span>{MARK_NAMES[mark.what]}</span>
          </td>
          <td>
            <Quoted text={mark.name} />
          </td>
          <td class="number">{detailOf(mark)}</td>
          <td class="number">{mark.what === "broken" ? formats.dollars(mark.cost) : ""}</td>
        </tr>
      ))}
    </DataTable>
  );
}

export function MissingTable({ policy }: { readonly policy: ReportPolicy }) {
  const { missing, figures } = policy;
  return (
    <DataTable
      caption={
        missing.length < figures.missingReferences
          ? `The first ${missing.length} of ${formats.count(figures.missingReferences)} references that were gone when they were used`
          : "References that were gone when they were used"
      }
      heads={[{ name: "Turn" }, { name: "Tool" }, { name: "Kind" }, { name: "Reference" }]}
    >
      {missing.map(({ turn, tool, kind, reference }, index) => (
        <tr key={index}>
          <td>{formats.count(turn)}</td>
          <td>
            <Quoted text={tool} />
          </td>
          <td>{kind}</td>
          <td>
            <Quoted text={reference} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

const lackOf = (one: ReportPolicy["forgotten"][number]): string =>
  [
    one.missingLines > 1 ? `${formats.count(one.missingLines)} lines:` : "",
    one.lines[0] ?? one.paths[0] ?? "",
    one.isUnread ? "(no longer held as read)" : "",
  ]
    .filter((part) => part !== "")
    .join(" ");

/** Sources of lines and paths that were gone, with their class and how long ago they stood in the conversation. */
export function ForgottenTable({ policy }: { readonly policy: ReportPolicy }) {
  return (
    <DataTable
      caption="Where lines and paths were from that were gone when they were used"
      heads={[
        { name: "Turn" },
        { name: "Tool" },
        { name: "Source" },
        {
          name: "Class",
          title: "disk: a file; again: a command; transcript: nowhere but in the conversation",
        },
        { name: "Turns ago", title: "Since it stood in the conversation last" },
        { name: "Missing", title: "The first of the lines or paths" },
      ]}
    >
      {policy.forgotten.map((one, index) => (
        <tr key={index}>
          <td>{formats.count(one.turn)}</td>
          <td>
            <Quoted text={one.tool} />
          </td>
          <td>
            <Quoted text={one.source} />
          </td>
          <td>{one.class}</td>
          <td>{one.roundsAgo === null ? "" : formats.count(one.roundsAgo)}</td>
          <td>
            <Quoted text={lackOf(one)} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

export function LargestTable({ policy }: { readonly policy: ReportPolicy }) {
  return (
    <DataTable
      caption="The largest items of the context at its largest"
      heads={[
        { name: "Kind" },
        { name: "Item" },
        { name: "Tokens", isNumber: true },
        { name: "Of the largest prompt", isNumber: true },
      ]}
    >
      {policy.largest.map(({ kind, label, tokens }, index) => (
        <tr key={index}>
          <td>
            <span class={`swatch kind-${kind}`} aria-hidden="true" />
            <span>{kind}</span>
          </td>
          <td>
            <Quoted text={label} />
          </td>
          <td class="number">{formats.tokens(tokens)}</td>
          <td class="number">{formats.share(tokens / policy.figures.peakTokens)}</td>
        </tr>
      ))}
    </DataTable>
  );
}

export function FailedTable({ files }: { readonly files: readonly FailedFile[] }) {
  return (
    <DataTable caption="Files that could not be played" heads={[{ name: "File" }, { name: "Why" }]}>
      {files.map(({ file, error }, index) => (
        <tr key={index}>
          <td>
            <Quoted text={file} />
          </td>
          <td>
            <Quoted text={error} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}
