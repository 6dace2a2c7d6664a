/** What published agents are made to do: shell commands, and every fifth time a file to read. */
export function auditSteps(count) {
  return Array.from({ length: count }, (_, index) => {
    const step = index + 1;
    const call =
      step % 5 === 0
        ? { kind: "read", input: { path: `data/file_${step}.txt` } }
        : { kind: "shell", input: { command: `seq -f 'step ${step} row %05g of the audit' 1 120` } };
    return { text: `Step ${step}.`, calls: [call] };
  });
}
