/** Signals from outside: the first aborts the work, the second ends the process. */
import { Interrupted, signalExitCode } from './exit-codes.ts'

export interface Interrupts {
  /** Aborts at the first signal, with an `Interrupted` as reason. */
  readonly signal: AbortSignal
  stop(): void
}

const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** A Ctrl-C can arrive twice: from the terminal, and forwarded by a package manager. */
const echoMs = 100

export function listenForInterrupts(): Interrupts {
  const controller = new AbortController()
  let first = { name: '', at: 0 }
  const listener = (name: NodeJS.Signals): void => {
    if (!controller.signal.aborted) {
      first = { name, at: performance.now() }
      controller.abort(new Interrupted(name))
      return
    }
    const isEcho = name === 'SIGINT' && first.name === name && performance.now() - first.at < echoMs
    if (!isEcho) process.exit(signalExitCode(name))
  }
  for (const name of names) process.on(name, listener)
  return {
    signal: controller.signal,
    stop() {
      for (const name of names) process.off(name, listener)
    },
  }
}

export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
