/** What can be switched off, to see what is then lost. */
export const demoParts = ["restoration", "verification", "work-record", "early"] as const;
export type DemoPart = (typeof demoParts)[number];
