/** Workers on one database, killed in every way; rejects where the tables then hold something else than was acknowledged. */
export function crashFleet(options: {
  readonly programs: string;
  readonly workers: number;
  readonly conversations: number;
  readonly blows: number;
  readonly random: { readonly below: (limit: number) => number };
  readonly step: (counts: Readonly<Record<string, number>>) => Promise<void>;
  readonly isOver?: () => boolean;
}): Promise<void>;
