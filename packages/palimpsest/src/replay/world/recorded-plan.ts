import type { Attachment } from "@palimpsest/core";
import { createMemoryPlan, type PlanSource, type PlanState } from "@palimpsest/core/restore";
import { asText } from "../readers/recording.js";
import type { RecordedCall } from "./recorded-call.js";

/** The plan of a recording, and whether it is only planned for now. */
export interface RecordedPlan {
  readonly source: PlanSource;
  readonly answered: (call: RecordedCall) => void;
  readonly attached: (attachment: Attachment) => void;
  /** A file was written; undefined where its whole text is not known. */
  readonly written: (path: string, text: string | undefined) => void;
}

/** What a plan is called that the recording gives no path. */
const UNNAMED_PLAN = "plan.md";

const PLAN_FILE = /[\\/]\.claude[\\/]plans[\\/][^\\/]+\.md$/;
const SAVED_TO = /^Your plan has been saved to: (.{1,4096})$/m;

export function createRecordedPlan(): RecordedPlan {
  const source = createMemoryPlan();
  let state: PlanState = { path: "", isPlanMode: false };
  const set = (change: Partial<PlanState>): void => {
    const path = change.path || state.path || UNNAMED_PLAN;
    state = { ...state, ...change, path };
    source.set(state);
  };
  return {
    source,
    answered({ name, input, text = "", isError }) {
      if (isError) return;
      if (name === "EnterPlanMode") set({ isPlanMode: true });
      if (name !== "ExitPlanMode" && name !== "exit_plan_mode") return;
      const path = asText(input["planFilePath"]) || (SAVED_TO.exec(text.slice(0, 8192))?.[1] ?? "");
      const content = asText(input["plan"]);
      set({ path, isPlanMode: false, ...(content === "" ? {} : { content }) });
    },
    attached(attachment) {
      const path = asText(attachment["planFilePath"]);
      const content = asText(attachment["planContent"]);
      if (attachment.type === "plan_mode" || attachment.type === "plan_mode_reentry") {
        set({ path, isPlanMode: true });
      } else if (attachment.type === "plan_mode_exit") {
        set({ path, isPlanMode: false });
      } else if (attachment.type === "plan_file_reference" && content !== "") {
        set({ path, content });
      }
    },
    written(path, content) {
      if (content !== undefined && (path === state.path || PLAN_FILE.test(path))) set({ path, content });
    },
  };
}
