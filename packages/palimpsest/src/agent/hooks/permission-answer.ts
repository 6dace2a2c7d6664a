import type { ToolInput } from "../base/tool.js";
import type { HookPermission, PermissionAnswer } from "./hooks.js";
import type { FieldReader } from "./field-reader.js";
import { isAbsent, isFields, type Fields } from "../base/fields.js";

/** What a command says of a tool call that is about to be made. */
export function readPermission(
  fields: Fields,
  reader: FieldReader,
): { readonly permission?: HookPermission; readonly updatedInput?: ToolInput } {
  const { permissionDecision: given } = fields;
  const behavior = given === "defer" ? "ask" : given;
  const isKnown = behavior === "allow" || behavior === "ask" || behavior === "deny";
  if (!isKnown && !isAbsent(given)) reader.wrong("permissionDecision", "allow, ask, deny");
  const updated = readUpdatedInput(fields, reader);
  const reason = reader.text(fields, "permissionDecisionReason");
  const isVoid = !isKnown || (behavior === "allow" && updated.isWrong);
  return {
    ...(isVoid ? {} : { permission: { behavior, ...(reason === undefined ? {} : { reason }) } }),
    ...updated.fields,
  };
}

/** What a command answers in place of the person. */
export function readPermissionAnswer(
  decision: unknown,
  reader: FieldReader,
): { readonly answer?: PermissionAnswer } {
  if (isAbsent(decision)) return {};
  const fields = isFields(decision) ? decision : {};
  const { behavior, interrupt, updatedPermissions } = fields;
  if (behavior === "deny") {
    const message = reader.text(fields, "message");
    return {
      answer: {
        behavior,
        ...(message === undefined ? {} : { message }),
        ...(interrupt === true ? { interrupt } : {}),
      },
    };
  }
  if (behavior === "allow") {
    const updated = readUpdatedInput(fields, reader);
    if (updated.isWrong) return {};
    const changes: readonly unknown[] | undefined = Array.isArray(updatedPermissions)
      ? updatedPermissions
      : undefined;
    return {
      answer: {
        behavior,
        ...updated.fields,
        ...(changes === undefined ? {} : { updatedPermissions: changes }),
      },
    };
  }
  reader.wrong("hookSpecificOutput.decision.behavior", "allow, deny");
  return {};
}

/** Whoever allows another input that cannot be read has not allowed the one that is there. */
function readUpdatedInput(
  { updatedInput }: Fields,
  reader: FieldReader,
): { readonly fields: { readonly updatedInput?: ToolInput }; readonly isWrong: boolean } {
  if (isAbsent(updatedInput)) return { fields: {}, isWrong: false };
  if (isFields(updatedInput)) return { fields: { updatedInput }, isWrong: false };
  reader.wrong("updatedInput", "an object");
  return { fields: {}, isWrong: true };
}
