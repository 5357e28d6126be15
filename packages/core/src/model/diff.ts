/** What two states of the objects in a bucket differ in. */
import { byText, listObjects, type ModelObjectVersion } from './reads.ts'
import { type ModelObject, type ModelState, refusal } from './state.ts'

/** An object that is not the same in two states. */
export interface ModelDifference {
  readonly key: string
  readonly before?: ModelObjectVersion
  readonly after?: ModelObjectVersion
}

/**
 * The objects that are not the same in two states, in the order of their keys. Another version with the same bytes and
 * the same tag counts as the same. @throws StorageError `NoSuchBucket` if neither state has the bucket
 */
export function diffObjects(
  [before, after]: readonly [ModelState, ModelState],
  { bucket, prefix = '' }: { readonly bucket: string; readonly prefix?: string },
): readonly ModelDifference[] {
  if (!before.buckets.has(bucket) && !after.buckets.has(bucket)) throw refusal('NoSuchBucket')
  const [then, now] = [objectsOf(before, bucket, prefix), objectsOf(after, bucket, prefix)]
  return [...new Set([...then.keys(), ...now.keys()])].sort(byText).flatMap((key) => {
    const [old, current] = [then.get(key), now.get(key)]
    if (old && current && isSameObject(old.object, current.object)) return []
    return [{ key, ...(old && { before: old }), ...(current && { after: current }) }]
  })
}

/** Whether clients get the same of two objects, apart from the version and its time. */
const isSameObject = (a: ModelObject, b: ModelObject): boolean => a.bytes === b.bytes && a.tag === b.tag

function objectsOf(state: ModelState, bucket: string, prefix: string): ReadonlyMap<string, ModelObjectVersion> {
  if (!state.buckets.has(bucket)) return new Map()
  const listed = listObjects(state, bucket, { prefix })
  return new Map(listed.flatMap((entry) => ('object' in entry ? [[entry.key, entry]] : [])))
}
