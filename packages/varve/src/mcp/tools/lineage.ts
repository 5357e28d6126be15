/** Which events are part of the history of a workspace. */
import type { RecordedEvent, Seq } from '@varve/core'
import type { ToolCall } from './tool.ts'

/** A bucket, from its creation to the last of its states that the workspace has. */
interface Ancestor {
  readonly bucket: string
  readonly from: Seq
  readonly to: Seq
}

/**
 * Others may have had the name of the workspace before, and in a fork the name of a base: what happened in them is no part of it.
 * Names and times do not tell them apart, positions do.
 */
export async function isInLineage(call: ToolCall): Promise<(event: RecordedEvent) => boolean> {
  const ancestors = await ancestorsOf(call)
  return ({ seq, data }) =>
    'bucket' in data && ancestors.some(({ bucket, from, to }) => data.bucket === bucket && from <= seq && seq <= to)
}

/** @throws StorageError `NoSuchBucket` */
async function ancestorsOf({ session, store, signal }: ToolCall): Promise<readonly Ancestor[]> {
  const { bucket, created } = session.workspace
  const ancestors: Ancestor[] = [{ bucket, from: created, to: Number.POSITIVE_INFINITY }]
  let { base } = await store.buckets.head(bucket, { signal })
  while (base !== undefined) {
    const past = await store.at(base.seq)
    const then = await past.buckets.head(base.bucket, { signal })
    ancestors.push({ bucket: then.name, from: then.seq, to: base.seq })
    base = then.base
  }
  return ancestors
}
