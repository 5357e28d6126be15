/** Calls a listener. An error that it throws, or that its promise rejects with, goes only to `failed`. */
export function callListener(call: () => unknown, failed: (error: unknown) => void): void {
  try {
    const result = call()
    // The promise may come from another realm or from a library, so `instanceof` would miss it.
    if (result !== undefined) void Promise.resolve(result).catch(failed)
  } catch (error) {
    failed(error)
  }
}

/** For platforms without process warnings: an error of a listener surfaces as an unhandled rejection. */
export function rejectUnhandled(error: unknown): void {
  void Promise.reject(error instanceof Error ? error : new Error('A listener failed.', { cause: error }))
}

/** The text of what a listener threw, which may be any value. */
export function listenerErrorText(error: unknown): string {
  try {
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  } catch {
    return 'it threw what has no text'
  }
}
