/** Whether this engine may commit: other engines on the journal may have ended its rights while it did not work. */
import type { Command } from '../commands/command.ts'
import { writtenBlob } from '../commands/written-blob.ts'
import type { RowChange } from '../ports/index.ts'
import { leaseLost, type Sharing } from '../sharing/sharing.ts'
import type { NewestState } from './newest-state.ts'

/** @throws StorageError `LeaseLost` */
export function assertRights(sharing: Sharing, command: Command): void {
  const { job } = command.meta
  if (job !== undefined) sharing.fence(job)
  if (namesLostBlob(command, sharing)) throw leaseLost('write')
}

/** What a commit expects: whole views, the membership of this engine, and the leases of the jobs. */
export function rowsOfRights(
  sharing: Sharing,
  jobs: readonly string[],
  { head }: Pick<NewestState, 'head'>,
): readonly RowChange[] {
  if (!sharing.isShared) return []
  const leases = [...new Set(jobs)].flatMap((job) => sharing.fence(job))
  return [...(head === undefined ? [] : [head]), ...sharing.fence(), ...leases]
}

/** Whether the command names a blob that another engine may have deleted, because this one did not work for a while. */
function namesLostBlob(command: Command, { marks }: Sharing): boolean {
  const blob = writtenBlob(command)
  return blob !== undefined && marks.isLost(blob.id)
}
