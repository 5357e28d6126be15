/**
 * The store in a page: what buckets, versions and delete markers mean, with maps and arrays and no thought of speed,
 * disk or concurrency. Tests run the same commands against it and against the real one; it is also the shortest
 * description of what versioning does.
 */
import type { VersioningStatus } from '@varve/core'

export interface ModelVersion {
  readonly seq: number
  readonly id: string
  /** `undefined` for a delete marker. */
  readonly body: string | undefined
}

export interface ModelBucket {
  readonly versioning: VersioningStatus | undefined
  /** Newest first. */
  readonly keys: ReadonlyMap<string, readonly ModelVersion[]>
}

export type ModelState = ReadonlyMap<string, ModelBucket>

/** One thing that happened; `seq` and `id` are what the store under test answered. */
export type ModelStep =
  | { readonly type: 'createBucket'; readonly bucket: string }
  | { readonly type: 'deleteBucket'; readonly bucket: string }
  | { readonly type: 'setVersioning'; readonly bucket: string; readonly status: VersioningStatus }
  | { readonly type: 'add'; readonly bucket: string; readonly key: string; readonly version: ModelVersion }
  | { readonly type: 'removeKey'; readonly bucket: string; readonly key: string }
  | { readonly type: 'removeVersion'; readonly bucket: string; readonly key: string; readonly id: string }

export function apply(state: ModelState, step: ModelStep): ModelState {
  const next = new Map(state)
  const bucket = state.get(step.bucket)
  switch (step.type) {
    case 'createBucket':
      return next.set(step.bucket, { versioning: undefined, keys: new Map() })
    case 'deleteBucket':
      next.delete(step.bucket)
      return next
    case 'setVersioning':
      return next.set(step.bucket, { versioning: step.status, keys: bucket?.keys ?? new Map() })
    case 'add':
      return withKey(next, step, (versions) => [step.version, ...without(versions, step.version.id)])
    case 'removeKey':
      return withKey(next, step, () => [])
    case 'removeVersion':
      return withKey(next, step, (versions) => without(versions, step.id))
  }
}

/** Every other id is unique, so only a null version can be there already: it is replaced. */
const without = (versions: readonly ModelVersion[], id: string) => versions.filter((version) => version.id !== id)

function withKey(
  state: Map<string, ModelBucket>,
  { bucket: name, key }: { readonly bucket: string; readonly key: string },
  change: (versions: readonly ModelVersion[]) => readonly ModelVersion[],
): ModelState {
  const bucket = state.get(name) as ModelBucket
  const keys = new Map(bucket.keys)
  const versions = change(keys.get(key) ?? [])
  if (versions.length === 0) keys.delete(key)
  else keys.set(key, versions)
  return state.set(name, { ...bucket, keys })
}

/** Keys in the order of their UTF-8 bytes, versions newest first. */
export function modelVersions(bucket: ModelBucket): { key: string; version: ModelVersion; isLatest: boolean }[] {
  const keys = [...bucket.keys].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  return keys.flatMap(([key, versions]) => versions.map((version, i) => ({ key, version, isLatest: i === 0 })))
}
