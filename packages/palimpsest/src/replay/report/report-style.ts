const LIGHT = `
  --page: #fbfaf8; --panel: #ffffff; --ink: #1d1f23; --soft: #5b6068; --faint: #e4e2dd; --axis: #8b8f96;
  --accent: #0b5f94; --bad: #b02a12; --bad-page: #fdeeea;
  --hue-0: #0b6aa8; --hue-1: #c4500a; --hue-2: #0a8763; --hue-3: #b4558c; --hue-4: #a97400; --hue-5: #5d6168;
  --hue-6: #6b5bb5; --hue-7: #2f8fc9;
  --kind-head: #8f9399; --kind-summary: #0a8763; --kind-restored: #86cdb5; --kind-human: #0b6aa8;
  --kind-assistant: #73b7e3; --kind-thinking: #c98bb0; --kind-calls: #d9660f; --kind-results: #efbb4d;
  --kind-other: #c9c9c6;`;

const DARK = `
  --page: #15171a; --panel: #1c1f23; --ink: #e9e7e2; --soft: #a5a9b0; --faint: #31353b; --axis: #767b83;
  --accent: #7cc0ee; --bad: #ff9a80; --bad-page: #3a2019;
  --hue-0: #5aaee6; --hue-1: #f08a4b; --hue-2: #3fc39a; --hue-3: #e08fbd; --hue-4: #e8b23e; --hue-5: #b4b8bf;
  --hue-6: #a99bf0; --hue-7: #a8d8f5;
  --kind-head: #747982; --kind-summary: #16a37b; --kind-restored: #8fd6bd; --kind-human: #2c82c0;
  --kind-assistant: #7fbfe9; --kind-thinking: #c583ab; --kind-calls: #dd6f1f; --kind-results: #e3b04a;
  --kind-other: #55595f;`;

const KINDS = [
  "head",
  "summary",
  "restored",
  "human",
  "assistant",
  "thinking",
  "calls",
  "results",
  "other",
] as const;

const kindRules = KINDS.map((kind) => `.kind-${kind} { --own: var(--kind-${kind}); }`).join("\n");
const hueRules = Array.from(
  { length: 8 },
  (_, index) => `.hue-${index} { --own: var(--hue-${index}); }`,
).join("\n");

/** The style of the report. Colours are told apart by most eyes that do not see all of them, and never alone. */
export const REPORT_STYLE = `
:root { color-scheme: light; ${LIGHT} }
@media (prefers-color-scheme: dark) { :root { color-scheme: dark; ${DARK} } }
:root[data-theme="light"] { color-scheme: light; ${LIGHT} }
:root[data-theme="dark"] { color-scheme: dark; ${DARK} }
@media print { :root, :root[data-theme] { color-scheme: light; ${LIGHT} --page: #ffffff; } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1240px; margin: 0 auto; padding: 36px 24px 72px; }
header { display: flex; gap: 24px; justify-content: space-between; align-items: flex-start; }
h1 { font-size: 30px; line-height: 1.2; font-weight: 650; letter-spacing: -0.015em; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 21px; line-height: 1.3; font-weight: 620; letter-spacing: -0.01em; margin: 0 0 14px; }
h3 { font-size: 16px; font-weight: 620; margin: 0; }
h4 { font-size: 15px; font-weight: 600; margin: 0; }
p { margin: 0; }
section { margin-top: 40px; padding-top: 26px; border-top: 1px solid var(--faint); }
header + noscript + section { border-top: 0; padding-top: 0; margin-top: 32px; }
.summary, .note, figcaption p { color: var(--soft); font-size: 13.5px; }
.summary { margin-top: 6px; }
p.note { margin-top: 10px; max-width: 75ch; }
button, select { font: inherit; font-size: 14px; color: var(--ink); background: var(--panel); border: 1px solid var(--faint);
  border-radius: 6px; padding: 5px 12px; cursor: pointer; }
button:hover, select:hover { border-color: var(--axis); }
#theme { flex: none; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.choice { display: flex; gap: 10px; align-items: center; margin: 22px 0 14px; }
.choice label { font-weight: 600; }
.choice select { min-width: 0; max-width: min(100%, 720px); text-overflow: ellipsis; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(170px, 1fr)); gap: 12px 20px; margin: 0 0 20px; }
.facts dt { color: var(--soft); font-size: 12.5px; }
.facts dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; border: 1px solid var(--faint); border-radius: 8px; background: var(--panel); }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: 10px 14px 2px; color: var(--soft); font-size: 12.5px; }
th, td { text-align: left; vertical-align: top; padding: 6px 9px; border-top: 1px solid var(--faint); }
thead th { border-top: 0; color: var(--soft); font-size: 12px; font-weight: 550; line-height: 1.3; vertical-align: bottom; }
thead th[title]:not([title=""]) { text-decoration: underline dotted var(--axis); text-underline-offset: 3px; cursor: help; }
th:first-child, td:first-child { padding-left: 14px; }
.figures th:first-child { position: sticky; left: 0; background: var(--panel); white-space: nowrap; }
tbody th { font-weight: 600; }
.number { text-align: right; white-space: nowrap; }
td:has(> .swatch) { white-space: nowrap; }
thead .number { white-space: normal; }
td .note, tbody th .note { display: block; font-size: 12px; font-weight: 400; white-space: nowrap; }
.figures th .note { padding-left: 29px; }
td.bad { color: var(--bad); background: var(--bad-page); font-weight: 650; }
.tiers { min-width: 130px; text-align: right; }
.tier { display: inline-block; white-space: nowrap; margin-left: 10px; }
.quoted { overflow-wrap: anywhere; white-space: pre-wrap; font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 12.5px; }
.endings { margin: 14px 0 0; padding: 0; list-style: none; font-size: 13.5px; }
.endings li { margin-top: 6px; padding-left: 12px; border-left: 3px solid var(--bad); }
details { margin-top: 12px; }
summary { cursor: pointer; font-weight: 600; font-size: 14px; padding: 6px 0; }
summary + div { margin-top: 6px; }
summary + div .scroll { max-height: 420px; overflow-y: auto; }
figure { margin: 26px 0 0; padding: 18px 18px 12px; background: var(--panel); border: 1px solid var(--faint); border-radius: 8px; }
#context-figure { margin-top: 0; }
#line-figures { margin-top: 34px; }
#line-figures figure { margin-top: 14px; }
.chart { position: relative; margin-top: 12px; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 10px 0 0; padding: 0; list-style: none; font-size: 13px; color: var(--soft); }
.legend li, .legend button { display: inline-flex; align-items: center; }
div.legend { gap: 6px; }
.legend button { padding: 3px 10px; font-size: 13px; }
.legend button[aria-pressed="false"] { opacity: 0.5; text-decoration: line-through; }
.swatch { display: inline-block; flex: none; width: 11px; height: 11px; margin-right: 7px; border-radius: 2px; background: var(--own); }
.swatch.none { visibility: hidden; width: 0; margin: 0; }
.swatch.stroke { width: 22px; height: 0; vertical-align: middle; background: none; border-radius: 0; border-top: 3px solid var(--own); }
.swatch.stroke.dash-1 { border-top-style: dashed; }
.swatch.stroke.dash-2 { border-top-style: dotted; }
.swatch.stroke.dash-3 { border-top-style: double; }
${kindRules}
${hueRules}
.mark-compacted { --own: var(--ink); }
.mark-cleared { --own: var(--axis); }
.mark-broken { --own: var(--hue-1); }
.mark-blind { --own: var(--hue-2); }
.plot { display: block; width: 100%; height: auto; font-size: 11.5px; touch-action: pan-y; }
.plot text { fill: var(--soft); font-variant-numeric: tabular-nums; }
.plot:focus { outline: none; }
.plot:focus-visible { outline: 2px solid var(--accent); outline-offset: 4px; border-radius: 2px; }
.grid { stroke: var(--faint); }
.axis { stroke: var(--axis); }
.lane { stroke: var(--faint); }
.band { fill: var(--own); stroke: var(--panel); stroke-width: 0.5; }
.ticks { fill: none; stroke: var(--own); stroke-width: 1.6; }
.window { stroke: var(--bad); stroke-width: 1.4; stroke-dasharray: 7 4; }
.plot .window-name { fill: var(--bad); font-weight: 600; paint-order: stroke; stroke: var(--panel); stroke-width: 3px; }
.compaction { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 2 3; }
.plot .compaction-name { fill: var(--ink); font-size: 11px; }
.line { fill: none; stroke: var(--own); stroke-width: 2; stroke-linejoin: round; }
.line.dash-1 { stroke-dasharray: 6 4; }
.line.dash-2 { stroke-dasharray: 2 3; }
.line.dash-3 { stroke-dasharray: 10 3 2 3; }
.leader { fill: none; stroke: var(--own); stroke-width: 0.8; opacity: 0.6; }
.plot .line-name { fill: var(--own); font-weight: 600; paint-order: stroke; stroke: var(--panel); stroke-width: 3px; }
.point { fill: var(--own); stroke: var(--own); stroke-width: 2; }
.point.dash-1 { fill-opacity: 0.35; }
.point.unsound { fill: var(--panel); fill-opacity: 1; }
.cursor { stroke: var(--ink); stroke-width: 1; opacity: 0.55; pointer-events: none; }
.readings { position: absolute; z-index: 1; max-width: min(340px, 100%); padding: 8px 11px; pointer-events: none; background: var(--panel);
  border: 1px solid var(--axis); border-radius: 6px; box-shadow: 0 4px 16px rgb(0 0 0 / 16%); font-size: 12.5px; line-height: 1.45; }
.reading-heading { font-weight: 620; margin-bottom: 3px; }
.reading { display: flex; align-items: center; }
.reading-label { color: var(--soft); margin-right: 16px; overflow-wrap: anywhere; }
.reading-value { margin-left: auto; white-space: nowrap; font-variant-numeric: tabular-nums; }
@media (max-width: 640px) {
  main { padding: 22px 14px 48px; }
  h1 { font-size: 24px; }
  figure { padding: 14px 10px 8px; }
  .choice { flex-wrap: wrap; }
  .facts { grid-template-columns: repeat(2, 1fr); }
}
@media print {
  body { font-size: 11px; }
  main { max-width: none; padding: 0; }
  button, .choice select { border: 0; padding: 0; appearance: none; background: none; }
  #theme { display: none; }
  .scroll { overflow: visible; border: 0; }
  summary + div .scroll { max-height: none; }
  table, .quoted { font-size: 9px; }
  thead th, caption, td .note, tbody th .note { font-size: 8px; }
  th, td { padding: 3px 5px; }
  .figures th .note { padding-left: 0; }
  figure, tr { break-inside: avoid; }
  .readings, .cursor { display: none; }
}
`;
