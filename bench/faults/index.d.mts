export interface PlantedFault {
  readonly name: string;
  /** As the table of ARCHITECTURE.md has it, without code marks. */
  readonly invariant: string;
  /** Runs of the soak that come first. */
  readonly runs: readonly string[];
  readonly edits: readonly { readonly file: string; readonly from: string; readonly to: string }[];
}

export const faults: readonly PlantedFault[];
