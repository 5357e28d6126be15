/** Begins an epoch at the end of a log that no engine has open: the first act of a store that is restored. */
import { newEpoch } from '../api/begin-epoch.ts'
import { Recorder, logEndAt } from '../engine/recorder.ts'
import { bringViews } from '../engine/open-log.ts'
import { readEvent } from '../events/log.ts'
import type { Hashing, Ids, Journal, RowChange, Seq } from '../ports/index.ts'

interface Restored {
  readonly journal: Journal
  readonly hashing: Hashing
  readonly ids: Ids
  /** The last event that was restored. */
  readonly seq: Seq
  /** Where it comes from: without secrets. */
  readonly source: string
  /** Milliseconds since the Unix epoch. */
  readonly now: number
  /** Committed with the event. */
  readonly rows: readonly RowChange[]
}

const actor = { id: 'varve', name: 'restore' }

/** Commits `EpochBegun` behind the last event, so that no later id is one that the log gave out elsewhere. */
export async function appendEpoch({ journal, hashing, ids, seq, source, now, rows }: Restored): Promise<void> {
  const last = await readEvent({ journal, hashing }, seq)
  const clock = { logTime: (at: number) => Math.max(at, now), locksAt: (at: number) => at }
  const recorder = new Recorder(clock, hashing, logEndAt(last))
  const data = { epoch: newEpoch(ids), from: { seq, hash: last.hash }, reason: 'restored' as const, source }
  const { bytes } = recorder.record({ type: 'EpochBegun', data }, { by: actor, requestId: ids.next() }, recorder.now())
  await journal.commit({ expectedHead: seq, events: [bytes], rows })
  await bringViews({ journal, hashing })
}
