/** The workspace now, or as it was. */
import { type ReadObjects, type Seq, StorageError } from '@varve/core'
import { parseMachineMoment } from '../../moments/machine-moment.ts'
import type { ToolCall } from './tool.ts'

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
  const { bucket, created } = session.workspace
  const past = await store.at(parseMachineMoment(at))
  const then = await past.buckets.head(bucket, { signal })
  if (then.seq === created) return { objects: past.objects, at: past.seq }
  throw new StorageError('NoSuchBucket', 'The workspace did not exist at this moment.')
}
