import { existsSync } from "node:fs";

/** The shell that commands are run by. */
export const defaultShell = (): string => (existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh");
