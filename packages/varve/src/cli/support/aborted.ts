import { onAbort } from '@varve/core'

export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    onAbort(signal, resolve)
  })
}
