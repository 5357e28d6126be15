/** Whether this engine may commit: other engines on the journal may have ended its rights while it did not work. */
import type { Command } from '../commands/command.ts'
import type { Content } from '../events/index.ts'
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
function namesLostBlob({ type, data }: Command, { marks }: Sharing): boolean {
  if (type === 'PutObject') return isLost(data.facts.content, marks)
  return type === 'UploadPart' && isLost(data.content, marks)
}

const isLost = (content: Content, marks: Sharing['marks']): boolean =>
  content.kind === 'blob' && !content.blob.inline && marks.isLost(content.blob.id)
