/** Why no disk can be made full here; undefined where it can. */
export function noFullDisk(): string | undefined;
