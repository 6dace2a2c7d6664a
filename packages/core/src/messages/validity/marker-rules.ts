import { apiTexts } from "./api-texts.js";
import { markerTtl } from "./cache-control.js";
import { isObject, type Marker } from "./cursor.js";
import type { JudgedRequest, RequestRule } from "./judged-request.js";
import { ownWordings } from "./own-wordings.js";
import type { Problem } from "./problem.js";

/** Cache markers of the whole request, in the order of processing: tools, system, messages. */

const MOST_MARKERS = 4;

type LastMarkable = { readonly path: string; readonly ttl: "5m" | "1h" | undefined };

export const markerRules: RequestRule = (judged) => {
  const explicit = explicitMarkers(judged);
  const automatic = markerTtl(judged.request["cache_control"]);
  const problems: Problem[] = [];
  const markers = [...explicit];
  if (automatic !== undefined) {
    const target = lastMarkable(judged);
    if (target?.ttl !== undefined && target.ttl !== automatic) {
      const text = ownWordings.automaticMarkerConflict({ automatic, explicit: target.ttl });
      problems.push({
        path: "cache_control",
        rule: "automatic-marker-conflict",
        message: `cache_control: ${text}`,
      });
    } else if (target !== undefined && target.ttl === undefined) {
      markers.push({ path: "cache_control", ttl: automatic });
    }
  }
  if (markers.length > MOST_MARKERS) {
    const message = apiTexts.tooManyMarkers(markers.length);
    problems.unshift({ path: "", rule: "too-many-markers", message });
  }
  return [...problems, ...ttlOrderProblems(markers)];
};

function explicitMarkers({ notes, messages }: JudgedRequest): readonly Marker[] {
  const markers: Marker[] = [
    ...notes.markers.filter((marker) => marker.path.startsWith("tools.")),
    ...notes.markers.filter((marker) => marker.path.startsWith("system.")),
  ];
  for (const { index, facts } of messages) {
    for (const { path, ttl } of facts.notes.markers) markers.push({ path: `messages.${index}.${path}`, ttl });
  }
  return markers;
}

function ttlOrderProblems(markers: readonly Marker[]): readonly Problem[] {
  const firstShort = markers.findIndex((marker) => marker.ttl === "5m");
  if (firstShort < 0) return [];
  return markers
    .slice(firstShort)
    .filter((marker) => marker.ttl === "1h")
    .map(({ path }) => ({
      path: `${path}.ttl`,
      rule: "marker-ttl-order",
      message: `${path}.ttl: ${apiTexts.markerTtlOrder}`,
    }));
}

/** The block that the automatic marker goes to: the last one that can hold a marker. */
function lastMarkable({ messages, request }: JudgedRequest): LastMarkable | undefined {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const found = messages[index]?.facts.lastMarkable;
    if (found !== undefined) return found;
  }
  return lastOfList(request["system"]) ?? lastOfList(request["tools"]);
}

function lastOfList(list: unknown): LastMarkable | undefined {
  if (typeof list === "string") return list === "" ? undefined : { path: "", ttl: undefined };
  const last: unknown = Array.isArray(list) ? list.at(-1) : undefined;
  return isObject(last) ? { path: "", ttl: markerTtl(last["cache_control"]) } : undefined;
}
