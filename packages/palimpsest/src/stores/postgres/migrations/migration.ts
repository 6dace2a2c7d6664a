/** One step of the schema: additive, run once, in one transaction with the row that says so. */
export interface Migration {
  readonly version: number;
  readonly sql: string;
}
