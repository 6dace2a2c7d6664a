/** What a person said, as summaries carry it on. */
export interface HumanText {
  /** Of the message it was said in. */
  readonly uuid: string;
  readonly text: string;
}
