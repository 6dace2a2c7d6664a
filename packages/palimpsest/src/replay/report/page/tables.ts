import type { FailedFile } from "../../results/policy-result.js";
import type { NamedFigures, ReportFile, ReportMark, ReportPolicy } from "../report-data.js";
import type { Elements } from "./elements.js";
import type { Formats } from "./formats.js";
import type { PageElement } from "./page-types.js";
import type { PolicyStyle } from "./policy-styles.js";

export interface Tables {
  /** The headline figures, a row for each policy. */
  readonly figures: (
    policies: readonly NamedFigures[],
    options: { readonly caption: string; readonly styleOf: (name: string) => PolicyStyle },
  ) => PageElement;
  /** The most expensive ones, in the order of turns. */
  readonly marks: (marks: readonly ReportMark[]) => PageElement;
  readonly missing: (policy: ReportPolicy) => PageElement;
  /** Sources of lines and paths that were gone, with their class and how long ago they stood in the conversation. */
  readonly forgotten: (policy: ReportPolicy) => PageElement;
  readonly largest: (policy: ReportPolicy) => PageElement;
  readonly failed: (files: readonly FailedFile[]) => PageElement;
  readonly facts: (file: ReportFile) => PageElement;
  /** Which policies could not go on, and why. */
  readonly endings: (policies: readonly ReportPolicy[]) => PageElement;
}

export function createTables(kit: { readonly elements: Elements; readonly formats: Formats }): Tables {
  const { elements, formats } = kit;
  const { html } = elements;
  const listedMarks = 200;

  const swatch = (classes: string): PageElement =>
    html("span", { attributes: { class: `swatch ${classes}`, "aria-hidden": "true" } });
  const cell = (text: string, classes = ""): PageElement =>
    html("td", { text, attributes: { class: classes } });
  const number = (text: string, note = ""): PageElement =>
    html("td", {
      attributes: { class: "number" },
      children: [
        html("span", { text }),
        ...(note === "" ? [] : [html("span", { text: note, attributes: { class: "note" } })]),
      ],
    });
  const mustBeNone = (value: number): PageElement =>
    html("td", {
      text: formats.count(value),
      attributes: { class: value > 0 ? "number bad" : "number" },
    });

  /** Text from a conversation: it keeps its own direction and breaks anywhere. */
  const quoted = (text: string): PageElement =>
    html("td", { children: [html("bdi", { text, attributes: { class: "quoted" } })] });

  const table = (options: {
    readonly caption: string;
    readonly heads: readonly (readonly [name: string, title: string])[];
    readonly numbersFrom: number;
    readonly rows: readonly PageElement[];
    readonly classes?: string;
  }): PageElement =>
    html("div", {
      attributes: { class: "scroll", tabindex: 0, role: "region", "aria-label": options.caption },
      children: [
        html("table", {
          attributes: { class: options.classes ?? "" },
          children: [
            html("caption", { text: options.caption }),
            html("thead", {
              children: [
                html("tr", {
                  children: options.heads.map(([name, title], index) =>
                    html("th", {
                      text: name,
                      attributes: {
                        scope: "col",
                        title,
                        class: index >= options.numbersFrom ? "number" : "",
                      },
                    }),
                  ),
                }),
              ],
            }),
            html("tbody", { children: options.rows }),
          ],
        }),
      ],
    });

  const tiers = (figures: NamedFigures["figures"]): PageElement => {
    const counts = Object.entries(figures.compactions).filter(([, times]) => times > 0);
    const again = figures.recompactions > 0 ? [`${formats.count(figures.recompactions)} soon again`] : [];
    return html("td", {
      attributes: { class: "tiers" },
      children:
        counts.length === 0
          ? [html("span", { text: "none", attributes: { class: "note" } })]
          : [
              ...counts.map(([tier, times]) =>
                html("span", { text: `${tier} ${formats.count(times)}`, attributes: { class: "tier" } }),
              ),
              ...again.map((text) => html("span", { text, attributes: { class: "note" } })),
            ],
    });
  };

  const markNames: Readonly<Partial<Record<ReportMark["what"], string>>> = {
    broken: "cache break",
    blind: "blind turn",
  };

  const detail = (mark: ReportMark): string =>
    mark.what === "blind"
      ? ""
      : mark.what === "broken"
        ? `${formats.tokens(mark.before)} lost`
        : `${formats.tokens(mark.before)} → ${formats.tokens(mark.after)}`;

  return {
    figures: (policies, { caption, styleOf }) =>
      table({
        caption,
        classes: "figures",
        numbersFrom: 1,
        heads: [
          ["Policy", "With its answered turns and the largest prompt among them"],
          [
            "Full cost",
            "Dollars where what was forgotten is read again, and at 2 and 4 times the price of that",
          ],
          ["Blind edits", "Edits of whose text to be replaced a line was nowhere in the context"],
          [
            "Blind turns",
            "Turns at which a line or a path was missing; requests that read again; sources lost",
          ],
          ["Cost", "Dollars without reading again, calls for summaries and notes included"],
          ["To never forgetting", "Against an unlimited window and a cache that never loses anything"],
          ["Cache hit", "Tokens read from the cache of all input tokens"],
          ["Recall", "References of the next action that were still in its context"],
          ["User words", "Human messages still there word for word"],
          ["Invalid", "Requests that the API rejects: must be 0"],
          ["Overflow", "Requests over the window: must be 0"],
          [
            "Compactions",
            "How often each tier did something, and how often within three turns of the one before",
          ],
          ["Side calls", "Calls beside the conversation, and what they cost"],
          [
            "CPU ms p50 / p99",
            "The policy's own work in a turn, and how it grows from the first quarter to the last",
          ],
        ],
        rows: policies.map(({ name, figures }) => {
          const { hue, dash } = styleOf(name);
          return html("tr", {
            children: [
              html("th", {
                attributes: { scope: "row" },
                children: [
                  swatch(`stroke ${hue} ${dash}`),
                  html("bdi", { text: name }),
                  html("span", {
                    text: `${formats.count(figures.turns)} turns, peak ${formats.tokens(figures.peakTokens)}`,
                    attributes: { class: "note" },
                  }),
                ],
              }),
              number(
                formats.dollars(figures.fullCost),
                `×2 ${formats.dollars(figures.costAt["2"])}, ×4 ${formats.dollars(figures.costAt["4"])}`,
              ),
              number(
                formats.share(figures.edits === 0 ? 0 : figures.blindEdits / figures.edits),
                `${formats.count(figures.blindEdits)} of ${formats.count(figures.edits)}`,
              ),
              number(
                formats.share(figures.turns === 0 ? 0 : figures.blindTurns / figures.turns),
                `${formats.count(figures.regainRequests)} read again, ${formats.count(figures.lost)} lost`,
              ),
              number(formats.dollars(figures.cost)),
              number(formats.ratio(figures.costRatio)),
              number(formats.share(figures.cacheHit)),
              number(
                formats.share(figures.recall),
                `${formats.count(figures.missingReferences)} of ${formats.count(figures.references)} missed`,
              ),
              number(
                formats.share(figures.userWords),
                figures.userWordsUncapped < figures.userWords
                  ? `${formats.share(figures.userWordsUncapped)} of all words`
                  : "",
              ),
              mustBeNone(figures.invalid),
              mustBeNone(figures.overflow),
              tiers(figures),
              number(
                formats.count(figures.sideCalls),
                figures.sideCalls > 0 ? formats.dollars(figures.sideCost) : "",
              ),
              number(
                `${formats.milliseconds(figures.cpuMsP50)} / ${formats.milliseconds(figures.cpuMsP99)}`,
                `growth ${formats.ratio(figures.cpuGrowth)}`,
              ),
            ],
          });
        }),
      }),

    marks: (marks) => {
      const weight = (mark: ReportMark): number => mark.before - mark.after;
      const listed = marks
        .toSorted((left, right) => weight(right) - weight(left))
        .slice(0, listedMarks)
        .toSorted((left, right) => left.turn - right.turn);
      const caption =
        marks.length > listed.length
          ? `The ${listed.length} largest of ${formats.count(marks.length)} marks`
          : `${formats.count(marks.length)} marks, in the order of turns`;
      return table({
        caption,
        numbersFrom: 3,
        heads: [
          ["Turn", ""],
          ["What", ""],
          ["Tier or reason", ""],
          ["Tokens", ""],
          ["Cost", "Of a cache break"],
        ],
        rows: listed.map((mark) =>
          html("tr", {
            children: [
              cell(formats.count(mark.turn)),
              html("td", {
                children: [
                  swatch(`mark-${mark.what}`),
                  html("span", { text: markNames[mark.what] ?? mark.what }),
                ],
              }),
              quoted(mark.name),
              number(detail(mark)),
              number(mark.what === "broken" ? formats.dollars(mark.cost) : ""),
            ],
          }),
        ),
      });
    },

    missing: ({ missing, figures }) =>
      table({
        caption:
          missing.length < figures.missingReferences
            ? `The first ${missing.length} of ${formats.count(figures.missingReferences)} references that were gone when they were used`
            : "References that were gone when they were used",
        numbersFrom: 9,
        heads: [
          ["Turn", ""],
          ["Tool", ""],
          ["Kind", ""],
          ["Reference", ""],
        ],
        rows: missing.map(({ turn, tool, kind, reference }) =>
          html("tr", {
            children: [cell(formats.count(turn)), quoted(tool), cell(kind), quoted(reference)],
          }),
        ),
      }),

    forgotten: ({ forgotten }) =>
      table({
        caption: "Where lines and paths were from that were gone when they were used",
        numbersFrom: 9,
        heads: [
          ["Turn", ""],
          ["Tool", ""],
          ["Source", ""],
          ["Class", "disk: a file; again: a command; transcript: nowhere but in the conversation"],
          ["Turns ago", "Since it stood in the conversation last"],
          ["Missing", "The first of the lines or paths"],
        ],
        rows: forgotten.map(
          ({ turn, tool, source, class: kind, roundsAgo, lines, missingLines, paths, isUnread }) =>
            html("tr", {
              children: [
                cell(formats.count(turn)),
                quoted(tool),
                quoted(source),
                cell(kind),
                cell(roundsAgo === null ? "" : formats.count(roundsAgo)),
                quoted(
                  [
                    missingLines > 1 ? `${formats.count(missingLines)} lines:` : "",
                    lines[0] ?? paths[0] ?? "",
                    isUnread ? "(no longer held as read)" : "",
                  ]
                    .filter((part) => part !== "")
                    .join(" "),
                ),
              ],
            }),
        ),
      }),

    largest: ({ largest, figures }) =>
      table({
        caption: "The largest items of the context at its largest",
        numbersFrom: 2,
        heads: [
          ["Kind", ""],
          ["Item", ""],
          ["Tokens", ""],
          ["Of the largest prompt", ""],
        ],
        rows: largest.map(({ kind, label, tokens }) =>
          html("tr", {
            children: [
              html("td", { children: [swatch(`kind-${kind}`), html("span", { text: kind })] }),
              quoted(label),
              number(formats.tokens(tokens)),
              number(formats.share(tokens / figures.peakTokens)),
            ],
          }),
        ),
      }),

    failed: (files) =>
      table({
        caption: "Files that could not be played",
        numbersFrom: 9,
        heads: [
          ["File", ""],
          ["Why", ""],
        ],
        rows: files.map(({ file, error }) => html("tr", { children: [quoted(file), quoted(error)] })),
      }),

    facts: (file) => {
      const facts: readonly (readonly [string, string])[] = [
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
      return html("dl", {
        attributes: { class: "facts" },
        children: facts.map(([name, value]) =>
          html("div", { children: [html("dt", { text: name }), html("dd", { text: value })] }),
        ),
      });
    },

    endings: (policies) =>
      html("ul", {
        attributes: { class: "endings" },
        children: policies
          .filter(({ endedAtTurn }) => endedAtTurn !== null)
          .map(({ name, endedAtTurn, endedBecause }) =>
            html("li", {
              children: [
                html("strong", { text: name }),
                html("span", { text: ` ended at turn ${formats.count(endedAtTurn ?? 0)}: ` }),
                html("bdi", { text: endedBecause ?? "no reason given", attributes: { class: "quoted" } }),
              ],
            }),
          ),
      }),
  };
}
