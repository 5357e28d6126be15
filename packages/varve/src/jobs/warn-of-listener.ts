import { listenerErrorText } from '@varve/core'

/** Reports an error of a listener that no other listener handles. */
export function warnOfListener(error: unknown): void {
  process.emitWarning(`A listener of a store failed: ${listenerErrorText(error)}`, 'VarveListenerWarning')
}
