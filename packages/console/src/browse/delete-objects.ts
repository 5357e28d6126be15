/** Deletes chosen objects and all that is beneath chosen prefixes, in as few requests as possible. */

import { showToast } from '../components/toasts.tsx'
import { countText } from '../components/formats.ts'
import { undoRequests } from '../control/undo.ts'
import { allPages, listObjects } from '../s3/listings.ts'
import { type DeleteFailure, deleteMax, deleteObjects } from '../s3/objects.ts'
import type { Connection } from '../transport/connection.ts'
import { arrivals } from '../uploads/upload-queue.ts'

export interface DeleteTarget {
  readonly key: string
  readonly versionId?: string
}

export interface Deletion {
  readonly deleted: number
  readonly failures: readonly DeleteFailure[]
  readonly requestIds: readonly string[]
}

export interface DeleteChoice {
  readonly bucket: string
  readonly targets: readonly DeleteTarget[]
  readonly prefixes: readonly string[]
}

export async function deleteChosen(
  connection: Connection,
  { bucket, targets, prefixes }: DeleteChoice,
  onProgress: (deleted: number) => void,
): Promise<Deletion> {
  const requestIds: string[] = []
  const failures: DeleteFailure[] = []
  let deleted = 0
  const remove = async (some: readonly DeleteTarget[]): Promise<void> => {
    const outcome = await deleteObjects(connection, bucket, some)
    deleted += outcome.deleted
    failures.push(...outcome.failures)
    if (outcome.deleted > 0 && outcome.requestId !== undefined) requestIds.push(outcome.requestId)
    onProgress(deleted)
  }
  for (let start = 0; start < targets.length; start += deleteMax) await remove(targets.slice(start, start + deleteMax))
  for (const prefix of prefixes) {
    for await (const entries of allPages((from) => listObjects(connection, { bucket, prefix, from }))) {
      if (entries.length > 0) await remove(entries.map(({ key }) => ({ key })))
    }
  }
  return { deleted, failures, requestIds }
}

/** Shows what was deleted, and offers to undo it. */
export function showDeletion(connection: Connection, { deleted, failures, requestIds }: Deletion): void {
  const [failure] = failures
  if (failure !== undefined) {
    showToast({
      kind: 'failed',
      text: `${countText(failures.length, 'object')} could not be deleted. The first one: ${failure.key}: ${failure.message} (${failure.code})`,
    })
  }
  if (deleted === 0) return
  const undo = async (): Promise<void> => {
    try {
      await undoRequests(connection, requestIds)
      showToast({ text: `Undone: ${countText(deleted, 'object')} came back.` })
      arrivals.value++
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      showToast({ kind: 'failed', text: `The deletion could not be undone. ${reason}` })
    }
  }
  showToast({ text: `Deleted ${countText(deleted, 'object')}.`, action: { label: 'Undo', run: () => void undo() } })
}
