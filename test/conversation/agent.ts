export { createEmbeddedProvider } from "../../packages/palimpsest/src/providers/embedded.js";
export { createAgent, driveConversation, handedIn } from "../../packages/palimpsest/src/soak/small-host.js";
