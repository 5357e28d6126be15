interface Waiting {
  readonly listeners: Set<() => void>
  /** Listens no longer to the signal. */
  stop(): void
}

const waitingFor = new WeakMap<AbortSignal, Waiting>()

/**
 * Calls `listener` when the signal aborts, and not if it has aborted already, as `addEventListener` does. Returns a function that ends this.
 * All who wait for one signal share one listener of it, because Node warns of a leak at the eleventh.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const waiting = waitingFor.get(signal) ?? listenTo(signal)
  // Several may wait with the same function.
  const own = (): void => listener()
  waiting.listeners.add(own)
  return () => {
    if (waiting.listeners.delete(own) && waiting.listeners.size === 0) waiting.stop()
  }
}

function listenTo(signal: AbortSignal): Waiting {
  const listeners = new Set<() => void>()
  const abort = (): void => {
    waitingFor.delete(signal)
    for (const listener of listeners) listener()
  }
  const stop = (): void => {
    waitingFor.delete(signal)
    signal.removeEventListener('abort', abort)
  }
  const waiting = { listeners, stop }
  signal.addEventListener('abort', abort, { once: true })
  waitingFor.set(signal, waiting)
  return waiting
}
