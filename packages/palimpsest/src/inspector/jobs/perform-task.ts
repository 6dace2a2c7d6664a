import { adviseOn } from "../advice/advise.js";
import { neededLater } from "./needed-later.js";
import { playWhatIf } from "./play-what-if.js";
import type { PlayedWhatIf, RecordedLoss, Task, TaskResult } from "./task.js";

/** Does a task, in whatever thread this is. Rejects with what the recording or the policy is wrong with. */
export async function performTask(
  task: Task,
  onProgress: (share: number) => void,
): Promise<TaskResult<Task["kind"]>> {
  const done = await (perform(task, onProgress) as Promise<
    PlayedWhatIf | TaskResult<"advice"> | readonly RecordedLoss[]
  >);
  onProgress(1);
  return done;
}

function perform(task: Task, onProgress: (share: number) => void): Promise<TaskResult<Task["kind"]>> {
  switch (task.kind) {
    case "what-if":
      return playWhatIf(task, onProgress);
    case "advice":
      return adviseOn(task.files, {
        onProgress: ({ file, files, bytesRead, bytes }) =>
          onProgress((file + (bytes === 0 ? 0 : bytesRead / bytes)) / files),
      });
    case "needed-later":
      return neededLater(task.file, onProgress);
  }
}
