/** Whether something was forgotten. Computed from what the model was sent and from the disk. */
export interface Check {
  readonly name: string;
  readonly holds: boolean;
  /** What was found, in one line. */
  readonly detail: string;
}
