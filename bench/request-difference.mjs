const SHOWN = 4;

/**
 * How what was played differs from what was saved, in one line; undefined for not at all. Both are what
 * `play-requests.mjs` tells of a recording.
 */
export function firstDifference(before, now) {
  if (before === undefined) return "was not played before";
  const at = now.requests.findIndex(({ hash }, index) => before.requests[index]?.hash !== hash);
  if (at < 0 && before.requests.length > now.requests.length)
    return `the first ${now.requests.length} requests are equal, ${before.requests.length} were sent before`;
  if (at < 0)
    return before.cost === now.cost ? undefined : `equal requests cost $${now.cost}, before $${before.cost}`;
  const [was, is] = [before.requests[at], now.requests[at]];
  const number = `request ${at + 1} of ${now.requests.length}`;
  if (was === undefined) return `${number} is the first that was not sent before`;
  const kinds = [was, is].map(({ isAside }) => (isAside === true ? "beside the conversation" : "of it"));
  const kind = kinds[0] === kinds[1] ? kinds[1] : `${kinds[1]}, before ${kinds[0]}`;
  return `${number} (${kind}) differs: ${partsOf(before.requests, now.requests, at)}`;
}

function partsOf(before, now, at) {
  const was = partsAt(before, at);
  const is = partsAt(now, at);
  const names = new Set([...is.keys(), ...was.keys()]);
  const differing = [...names].filter((name) => was.get(name) !== is.get(name));
  if (differing.length === 0) return "only the order of its fields";
  const shown = differing
    .slice(0, SHOWN)
    .map((name) => `${name} (${describe(is.get(name))}, before ${describe(was.get(name))})`);
  const rest = differing.length - shown.length;
  return `${shown.join(", ")}${rest > 0 ? ` and ${rest} more parts` : ""}`;
}

/** The parts of a request, put together from what each one changed. */
function partsAt(requests, at) {
  const parts = new Map();
  for (const { set, gone = [] } of requests.slice(0, at + 1)) {
    for (const name of gone) parts.delete(name);
    for (const [name, print] of Object.entries(set)) parts.set(name, print);
  }
  return parts;
}

/** Prints begin with the role of a message, then the characters. */
function describe(print) {
  if (print === undefined) return "none";
  const [, role, characters] = /^([a-z]?)(\d+)-/.exec(print);
  const who = role === "" ? "" : role === "u" ? "user, " : role === "a" ? "assistant, " : "system, ";
  return `${who}${characters} characters`;
}
