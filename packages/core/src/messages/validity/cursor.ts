import { joinPath, type Finding } from "./problem.js";

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export interface Marker {
  readonly path: string;
  readonly ttl: "5m" | "1h";
}

interface ImageFact {
  readonly path: string;
  readonly label: string;
  /** Pixels; undefined where the data shows none. */
  readonly size: { readonly width: number; readonly height: number } | undefined;
}

/** What a walk over a part of a request notes beside its findings. Only the walk itself writes to it. */
export interface Notes {
  readonly findings: Finding[];
  readonly markers: Marker[];
  readonly images: ImageFact[];
  readonly documents: string[];
  readonly toolReferences: { readonly path: string; readonly name: string }[];
}

export function emptyNotes(): Notes {
  return { findings: [], markers: [], images: [], documents: [], toolReferences: [] };
}

/** A value of the request together with its place, and where to note what is found there. */
export class Cursor {
  readonly value: unknown;
  readonly path: string;
  readonly label: string;
  readonly notes: Notes;

  constructor(start: {
    readonly value: unknown;
    readonly notes: Notes;
    readonly path?: string;
    readonly label?: string;
  }) {
    this.value = start.value;
    this.notes = start.notes;
    this.path = start.path ?? "";
    this.label = start.label ?? this.path;
  }

  /** The member of an object or a list; its value is undefined where there is none. */
  at(key: string | number): Cursor {
    const { value } = this;
    const member: unknown =
      typeof value === "object" && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string | number, unknown>)[key]
        : undefined;
    return new Cursor({
      value: member,
      notes: this.notes,
      path: joinPath(this.path, key),
      label: joinPath(this.label, key),
    });
  }

  /** The same value, with the tag that the API writes into the places of a union's members. */
  tagged(tag: string): Cursor {
    return new Cursor({
      value: this.value,
      notes: this.notes,
      path: this.path,
      label: joinPath(this.label, tag),
    });
  }

  refuse(finding: Omit<Finding, "path" | "label">): void {
    this.notes.findings.push({ path: this.path, label: this.label, ...finding });
  }

  /** Refuses with a text that names no place. */
  refuseBare(finding: Omit<Finding, "path" | "label">): void {
    this.notes.findings.push({ path: this.path, label: undefined, ...finding });
  }
}

/** Judges one value; what is wrong with it goes to the cursor's notes. */
export type Check = (cursor: Cursor) => void;
