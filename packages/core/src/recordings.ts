export { growthsIn, type Growth } from "./engine/measure/growth.js";
export {
  compareTtls,
  type ComparisonOptions,
  type TtlComparison,
} from "./engine/prompt/ttl/ttl-comparison.js";
