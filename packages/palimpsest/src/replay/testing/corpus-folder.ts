import { delimiter } from "node:path";

/** The folder of recorded conversations that tests use: the first that is named. Undefined where none is. */
export const corpusFolder = process.env["PALIMPSEST_CORPUS"]?.split(delimiter)[0] || undefined;
