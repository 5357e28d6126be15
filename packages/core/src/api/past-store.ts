import { StorageError } from '../base/errors.ts'
import type { Seq } from '../ports/index.ts'
import { type ReadBuckets, readBuckets } from './buckets.ts'
import type { Engine } from '../engine/engine.ts'
import { positionAt } from './history.ts'
import { type ReadObjects, readObjects } from './read-objects.ts'
import { type ReadVersions, readVersions } from './versions.ts'

/** The store as it stood after one event. Reads only. */
export interface PastStore {
  readonly seq: Seq
  readonly buckets: ReadBuckets
  readonly objects: ReadObjects
  readonly versions: ReadVersions
}

export async function pastStore(engine: Engine, when: Seq | Date): Promise<PastStore> {
  engine.assertOpen()
  const at = typeof when === 'number' ? when : await positionAt(engine, when)
  if (!Number.isSafeInteger(at) || at < 0 || at > engine.writer.committed) {
    throw new StorageError('InvalidArgument', `The log has positions 0 to ${engine.writer.committed}, not ${at}.`)
  }
  const scope = { requests: engine.requests, at, erased: () => engine.reads.erased(at) }
  const past = readObjects(scope)
  return { seq: at, buckets: readBuckets(scope), objects: past, versions: readVersions(scope, past) }
}
