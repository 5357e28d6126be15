/** What the decided writes of a group add to one commit. */
import type { RowChange } from '../ports/index.ts'
import type { Decided, Write } from './decide-write.ts'
import type { Recording } from './recorder.ts'

/** Those that have no events add nothing. */
export function joinedWrites(decided: readonly Decided<Write>[]) {
  const recordings: Recording[] = []
  const jobs: string[] = []
  const sideRows: RowChange[] = []
  for (const { pending, recordings: own } of decided) {
    if (own.length === 0) continue
    for (const recording of own) recordings.push(recording)
    for (const { command, sideRows: rows } of pending.commands) {
      if (command.meta.job !== undefined) jobs.push(command.meta.job)
      for (const row of rows) sideRows.push(row)
    }
  }
  return { recordings, jobs, sideRows }
}
