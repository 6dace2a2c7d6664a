export type { Disk, DiskFile, DiskStatus } from "./disk.js";
export { createFileAccess, type FileAccessOptions } from "./file-access.js";
