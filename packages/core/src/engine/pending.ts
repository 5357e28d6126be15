/** Writes that wait for their results. */
import type { RecordedEvent } from '../events/index.ts'
import type { Queued } from './commit-watch.ts'
import type { Decided, Write } from './decide-write.ts'

export interface Pending extends Write, Queued {
  resolve(events: readonly RecordedEvent[]): void
  reject(error: unknown): void
}

/** Commits a write elsewhere: an engine there goes on with the log. */
export type Successor = (write: Write) => Promise<readonly RecordedEvent[]>

export const commandsOf = ({ commands }: Write): number => commands.length

/** Call it once the events are durable. With `confirming`, the callers wait for it, and get its error. */
export function answer(decided: readonly Decided<Pending>[], confirming?: Promise<void>): void {
  if (confirming === undefined) return give(decided)
  confirming.then(
    () => give(decided),
    (error: unknown) => decided.forEach(({ pending }) => pending.reject(error)),
  )
}

function give(decided: readonly Decided<Pending>[]): void {
  for (const { pending, recordings, refusal } of decided) {
    if (refusal === undefined) pending.resolve(recordings.map(({ event }) => event))
    else pending.reject(refusal)
  }
}

export function passOn(writes: Iterable<Pending>, successor: Successor): void {
  for (const { resolve, reject, ...write } of writes) successor(write).then(resolve, reject)
}
