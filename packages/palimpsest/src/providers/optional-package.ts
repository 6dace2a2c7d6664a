/** The code of the error. */
export const PACKAGE_MISSING = "PACKAGE_MISSING";

/**
 * Loads a package that an installation may leave out (`npm install --omit=optional`). Where it is absent, rejects with a
 * sentence: what needs it, and how it is installed.
 */
export async function loadOptional<Loaded>(
  load: () => Promise<Loaded>,
  { name, need }: { readonly name: string; readonly need: string },
): Promise<Loaded> {
  try {
    return await load();
  } catch (error) {
    if (!isAbsent(error, name)) throw error;
    const message = `${need} the package ${name}, which is not installed: npm install ${name}`;
    throw Object.assign(new Error(message, { cause: error }), { code: PACKAGE_MISSING });
  }
}

/** Whether it is this package that was not found, and not something that it needs itself. */
export const isAbsent = (error: unknown, name: string): boolean =>
  error instanceof Error &&
  (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND" &&
  error.message.includes(`'${name}'`);
