/** Calls a listener. What it throws, and what its promise rejects with, goes to `failed` and reaches nothing else. */
export function callListener(call: () => unknown, failed: (error: unknown) => void): void {
  try {
    const result = call()
    // A promise of another realm, or of a library, is one too.
    if (result !== undefined) void Promise.resolve(result).catch(failed)
  } catch (error) {
    failed(error)
  }
}

/** Without a process to warn, an error of a listener surfaces as an unhandled rejection. */
export function rejectUnhandled(error: unknown): void {
  void Promise.reject(error instanceof Error ? error : new Error('A listener failed.', { cause: error }))
}
