/** What a store shows of the differences between two positions, compared with the model. */
import { isDeepStrictEqual } from 'node:util'
import { isStorageError, type Store } from '@varve/core'
import { answering, diffObjects, type ModelState, refOf } from '@varve/core/model'
import type { Bindings } from './bindings.ts'

export interface Known {
  /** By position. */
  readonly states: readonly ModelState[]
  readonly bindings: Bindings
}

/** A line for each bucket with differences that the model does not have, read at once and in pages of two. */
export async function diffDifferences(
  store: Pick<Store, 'diff'>,
  { states, bindings }: Known,
  [from, to]: readonly [number, number],
): Promise<readonly string[]> {
  const both = [states[from] as ModelState, states[to] as ModelState] as const
  const lines: string[] = []
  for (const bucket of new Set(both.flatMap(({ buckets }) => [...buckets.keys()]))) {
    const expected = answering(() =>
      diffObjects(both, { bucket }).map(({ key, before, after }) => [
        key,
        before && refOf(before),
        after && refOf(after),
      ]),
    )
    for (const limit of [1000, 2]) {
      const shown = await shownBy(store, bindings, { bucket, from, to, limit })
      if (isDeepStrictEqual(shown, expected)) continue
      lines.push(`${bucket} from ${from} to ${to}: ${JSON.stringify(shown)}, not ${JSON.stringify(expected)}`)
    }
  }
  return lines
}

interface Shown {
  readonly bucket: string
  readonly from: number
  readonly to: number
  readonly limit: number
}

async function shownBy(store: Pick<Store, 'diff'>, bindings: Bindings, { bucket, from, to, limit }: Shown) {
  const found: unknown[] = []
  try {
    for await (const entry of store.diff({ bucket }, from, to, { limit })) {
      if (!('key' in entry)) continue
      const before = 'before' in entry ? bindings.ref(entry.before.versionId) : undefined
      const after = 'after' in entry ? bindings.ref(entry.after.versionId) : undefined
      found.push([entry.key, before, after])
    }
    return { ok: found }
  } catch (error) {
    if (isStorageError(error)) return { error: error.code }
    throw error
  }
}
