/** How calls are judged that no rule speaks about. */
export const permissionModes = ["default", "acceptEdits", "plan", "bypassPermissions"] as const;
export type PermissionMode = (typeof permissionModes)[number];

export const isPermissionMode = (value: unknown): value is PermissionMode =>
  permissionModes.some((mode) => mode === value);
