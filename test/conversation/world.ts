export { createWorld, output, tools, worker } from "../../packages/palimpsest/src/soak/made-up-world.js";
