/** Listeners are guests: one that throws, or whose promise rejects, hurts nobody else. */
export function callListener(call: () => unknown, failed: (error: unknown) => void): void {
  try {
    const result = call()
    // A promise of another realm, or of a library, is one too.
    if (result !== undefined) void Promise.resolve(result).catch(failed)
  } catch (error) {
    failed(error)
  }
}

/** For what a listener throws where nobody else can be told. */
export function warnOfListener(error: unknown): void {
  process.emitWarning(`A listener of a store failed: ${textOf(error)}`, 'VarveListenerWarning')
}

function textOf(error: unknown): string {
  try {
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  } catch {
    return 'it threw what has no text'
  }
}
