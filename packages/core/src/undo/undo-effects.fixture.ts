/** What an undo names as its effect on each key, and what clients saw. */
import type { UndoResult } from '../api/types/index.ts'

export interface SeenVersion {
  readonly key: string
  readonly versionId: string
  readonly isLatest: boolean
  /** `null` for a delete marker. */
  readonly body: string | null
  readonly tags: unknown
  readonly acl: unknown
}

export interface SeenBucket {
  readonly name: string
  readonly versions: readonly SeenVersion[]
  readonly settings: unknown
  readonly versioning: unknown
}

type Effect = readonly [place: string, effect: string]

export const effectsIn = ({ entries }: UndoResult): readonly Effect[] =>
  entries.flatMap((entry) => (entry.kind === 'key' ? [[`${entry.bucket}/${entry.key}`, entry.effect] as const] : []))

/** The effect on each key that the undo names, from the objects before and after it. */
export function effectsBetween(
  before: readonly SeenBucket[],
  after: readonly SeenBucket[],
  result: UndoResult,
): readonly Effect[] {
  const [were, are] = [objectsIn(before), objectsIn(after)]
  return effectsIn(result).map(([place]) => {
    const [was, is] = [were.get(place), are.get(place)]
    if (was === is) return [place, 'unchanged']
    if (was === undefined) return [place, 'added']
    return [place, is === undefined ? 'removed' : 'changed']
  })
}

const objectsIn = (buckets: readonly SeenBucket[]): ReadonlyMap<string, string> =>
  new Map(
    buckets.flatMap(({ name, versions }) =>
      versions.flatMap(({ key, versionId, isLatest, body }): readonly (readonly [string, string])[] =>
        isLatest && body !== null ? [[`${name}/${key}`, `${versionId} ${body}`]] : [],
      ),
    ),
  )
