/** Reports an error of a listener that no other listener handles. */
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
