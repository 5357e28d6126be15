/** Signals from outside: the first aborts the work, the second ends the process. A command may use `SIGHUP` otherwise. */
import { setMaxListeners } from 'node:events'
import { Interrupted, signalExitCode } from './exit-codes.ts'

export interface Interrupts {
  /** Aborts at the first signal, with an `Interrupted` as reason. */
  readonly signal: AbortSignal
  /** From now on `SIGHUP` calls this, and ends nothing. */
  onHangup(listener: () => void): void
  stop(): void
}

const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** A Ctrl-C can arrive twice: from the terminal, and forwarded by a package manager. */
const echoMs = 100

export function listenForInterrupts(): Interrupts {
  const controller = new AbortController()
  // Each object that is under way listens. Node would warn of the eleventh.
  setMaxListeners(0, controller.signal)
  let hangup: (() => void) | undefined
  let first = { name: '', at: 0 }
  const listener = (name: NodeJS.Signals): void => {
    if (name === 'SIGHUP' && hangup !== undefined) return hangup()
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
    onHangup(use) {
      hangup = use
    },
    stop() {
      for (const name of names) process.off(name, listener)
    },
  }
}
