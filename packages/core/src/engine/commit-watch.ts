/** Measures one group of commands for the observer. */
import type { Write } from './decide-write.ts'
import type { Observing } from '../observing/observing.ts'
import { observedCode } from '../observing/observing.ts'
import type { RowChange, Seq } from '../ports/index.ts'

/** A write in the queue. */
export interface Queued extends Pick<Write, 'commands'> {
  /** When it was queued. Absent if nothing is measured. */
  readonly since: number | undefined
}

interface Written {
  readonly at: number
  readonly events: readonly { readonly bytes: Uint8Array }[]
  readonly rows: readonly RowChange[]
}

export class CommitWatch {
  readonly #observing: Observing
  readonly #commands: number
  readonly #began: number
  readonly #waitingMs: number
  #written: Written | undefined
  #conflicts = 0

  /** `queued`: the writes that wait for a later group. */
  constructor(observing: Observing, group: readonly Queued[], queued: number) {
    this.#observing = observing
    this.#commands = group.reduce((sum, { commands }) => sum + commands.length, 0)
    this.#began = observing.now()
    const oldest = group.reduce((min, { since = min }) => Math.min(min, since), this.#began)
    this.#waitingMs = this.#began - oldest
    observing.queue?.({ name: 'commands', depth: group.length + queued })
  }

  /** Call it when all commands are decided, before the journal gets the changes. */
  writes(events: Written['events'], rows: Written['rows']): void {
    this.#written = { at: this.#observing.now(), events, rows }
  }

  /** Call it when another engine was first, and nothing was written. */
  conflict(): void {
    this.#conflicts++
  }

  /** Call it when all callers have their results. `seq`: the end of the log. */
  answered(seq: Seq, refused: number): void {
    this.#report(seq, refused)
  }

  failed(seq: Seq, error: unknown): void {
    this.#report(seq, 0, observedCode(error))
  }

  #report(seq: Seq, refused: number, errorCode?: string): void {
    const { commit, now } = this.#observing
    const [end, written] = [now(), this.#written]
    const { at = end, events = [], rows = [] } = written ?? {}
    commit?.({
      seq,
      commands: this.#commands,
      refused,
      events: events.length,
      rows: rows.length,
      bytes: bytesOf(events, rows),
      conflicts: this.#conflicts,
      waitingMs: this.#waitingMs,
      decidingMs: at - this.#began,
      writingMs: end - at,
      durationMs: end - this.#began,
      errorCode,
    })
    this.#observing.reportCaches()
  }
}

function bytesOf(events: Written['events'], rows: Written['rows']): number {
  let sum = 0
  for (const { bytes } of events) sum += bytes.length
  for (const { key, value } of rows) sum += key.length + (value?.length ?? 0)
  return sum
}
