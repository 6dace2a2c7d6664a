import type { CalibrationStore, GapHistoryStore, NotesStore } from "@palimpsest/core";
import { readCalibration, readGapHistory } from "@palimpsest/core/engine";
import { checkConversationId } from "../conversation-id.js";
import type { Statements } from "./statements.js";

/** Notes of one conversation. A text with NUL comes back without it: a database does not take it. */
export function notesDocument(statements: Statements, id: string): NotesStore {
  checkConversationId(id);
  return {
    path: `notes of ${id}`,
    read: () => statements.readDocument("notes", id),
    async write(notes) {
      await statements.writeDocument("notes", id, Buffer.from(notes.replaceAll("\0", "")).toString());
    },
  };
}

const parsed = (content: string | undefined): unknown => {
  try {
    return content === undefined ? undefined : JSON.parse(content);
  } catch {
    return undefined;
  }
};

/** Calibrations by model. What cannot be read counts as none: only accuracy is lost. */
export function calibrationDocuments(statements: Statements): CalibrationStore {
  return {
    async load(model) {
      const value = parsed(await statements.readDocument("calibration", model));
      return value === undefined ? undefined : readCalibration(value);
    },
    async save(model, calibration) {
      await statements.writeDocument("calibration", model, JSON.stringify(calibration));
    },
  };
}

/** The gaps of one tenant. */
export function gapHistoryDocument(statements: Statements): GapHistoryStore {
  return {
    async load() {
      const value = parsed(await statements.readDocument("gaps", ""));
      return value === undefined ? undefined : readGapHistory(value);
    },
    async save(history) {
      await statements.writeDocument("gaps", "", JSON.stringify(history));
    },
  };
}
