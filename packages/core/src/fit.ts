export { fit, type FitOptions, type Fitted } from "./engine/conversation/fit.js";
