export { canonicalMessage, isSameMessage, type ListedMessage } from "./tree/canonical-message.js";
export {
  createPrefixTree,
  sharedDepth,
  type LaneRelation,
  type Placed,
  type PlaceOptions,
  type PrefixNode,
  type PrefixTree,
  type PrefixTreeOptions,
} from "./tree/prefix-tree.js";
export { sameJson } from "./tree/same-json.js";
export { createMemoryStandIns, type MemoryStandInsOptions } from "./tree/memory-stand-ins.js";
export { sha256 } from "./tree/sha-256.js";
export type { StandInStore, StoredChain } from "./tree/stand-in-store.js";
