export { branches } from "./engine/conversation/branch.js";
