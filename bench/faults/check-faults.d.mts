import type { PlantedFault } from "./index.mjs";

export function checkFaults(root: string, faults: readonly PlantedFault[]): Promise<readonly string[]>;
export function plant(root: string, fault: PlantedFault): Promise<() => Promise<void>>;
