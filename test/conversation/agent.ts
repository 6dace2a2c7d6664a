export { createEmbeddedProvider } from "../../packages/palimpsest/src/providers/embedded.js";
export { createAgent, stages } from "../../packages/palimpsest/src/soak/small-host.js";
