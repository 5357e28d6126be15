/** What every command is given of the world. */
import type { Output } from './output.ts'
import type { ProgressLine } from './progress.ts'

export interface CliContext {
  readonly output: Output
  readonly progress: ProgressLine
  /** Aborts when a signal stops the process. */
  readonly signal: AbortSignal
  /** A word for people, on standard error. */
  note(text: string): void
  /** Sets the exit status of a command that did not fail. */
  finish(code: number): void
}
