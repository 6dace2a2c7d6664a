/** A part of a file, by what tells whether it will be needed again. */
export interface PartInUse {
  /** Rounds since the file was read, written or edited. */
  readonly age: number;
  /** Rounds since the agent changed something in this part; undefined where it never did. */
  readonly editedAge: number | undefined;
  /** It stands after the place that was edited last: work goes on downwards. */
  readonly isAfterEdit: boolean;
  readonly fileCharacters: number;
  /** Another part of the file was read last, and not this one. */
  readonly isAside: boolean;
}

const FILE_AGE = 0.5;
const FILE_AGE_ROUNDS = 8;
const EDIT_AGE = 0.41;
const EDIT_AGE_ROUNDS = 10;
/** What was never edited is as if it had been long ago. */
const NEVER = 200;
const AFTER_EDIT = 0.56;
/** Of a small file any part is more likely the right one. */
const SIZE = 0.31;
const SIZE_CHARACTERS = 3600;
const ASIDE = 0.5;

/**
 * How likely a part of a file is needed again: only the order counts. The weights, but for the last, are those of a
 * logistic regression over parts of 16 lines at every tenth round of the 20 recordings of the tuning set: was a line
 * of it replaced by an edit within 60 rounds, without having been shown again? (docs/results.md, "What is used again")
 */
export function reuseScore(part: PartInUse): number {
  const { age, editedAge = NEVER, isAfterEdit, fileCharacters, isAside } = part;
  return (
    (isAfterEdit ? AFTER_EDIT : 0) -
    (isAside ? ASIDE : 0) -
    FILE_AGE * Math.log2(1 + age / FILE_AGE_ROUNDS) -
    EDIT_AGE * Math.log2(1 + Math.min(editedAge, NEVER) / EDIT_AGE_ROUNDS) -
    SIZE * Math.log2(1 + fileCharacters / SIZE_CHARACTERS)
  );
}
