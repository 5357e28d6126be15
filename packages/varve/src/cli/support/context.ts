/** The environment that every command gets. */
import type { Output } from './output.ts'
import type { ProgressLine } from './progress.ts'

export interface CliContext {
  readonly output: Output
  /** The bytes of standard input. It is opened by the call. */
  input(): AsyncIterable<Uint8Array>
  readonly progress: ProgressLine
  /** Aborts when a signal stops the process. */
  readonly signal: AbortSignal
  /** From now on `SIGHUP` calls this, instead of stopping the process. */
  onHangup(listener: () => void): void
  /** Writes a message for people to standard error. */
  note(text: string): void
  /** Sets the exit status of a command that did not fail. */
  finish(code: number): void
}
