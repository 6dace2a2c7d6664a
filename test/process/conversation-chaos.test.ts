import { it } from "vitest";
import { surviveChaos, TURNS } from "./chaos.js";

it("survives every fault with the extractive writer as the last resort", () =>
  surviveChaos({ compactExtractive: true }, TURNS));
