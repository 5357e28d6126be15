/** The workspace now, or as it was. */
import { type ReadObjects, type Seq, StorageError } from '@varve/core'
import { momentOf, type ToolCall } from './tool.ts'

export interface WorkspaceView {
  readonly objects: ReadObjects
  /** The position of a past state. */
  readonly at?: Seq
}

/**
 * Another bucket may have had the name before: what it held is no part of the workspace.
 * @throws StorageError `NoSuchBucket`; what `at` throws
 */
export async function viewAt({ session, store, signal }: ToolCall, at: string | undefined): Promise<WorkspaceView> {
  if (at === undefined) return { objects: store.objects }
  const { bucket, createdAt } = session.workspace
  const past = await store.at(momentOf(at))
  const then = await past.buckets.head(bucket, { signal })
  if (then.createdAt.getTime() === createdAt.getTime()) return { objects: past.objects, at: past.seq }
  throw new StorageError('NoSuchBucket', 'The workspace did not exist at this moment.')
}
