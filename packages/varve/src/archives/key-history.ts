/** The versions of a key, for an import that adds others behind them. */
import type { ListedMarker, ListedVersion } from '@varve/core'
import type { ImportingStore } from './archived-store.ts'
import { oldestFirst } from './oldest-first.ts'

interface OfBucket {
  readonly bucket: string
  readonly signal?: AbortSignal | undefined
}

/** The versions that a key of the bucket has already, the oldest first. */
export class KeyHistory {
  readonly key: string
  readonly #versions: AsyncGenerator<ListedVersion | ListedMarker>
  /** The rest of the key is not imported. */
  isSkipped = false
  /** The rest of the key comes behind what is there. */
  isAppending = false

  private constructor(key: string, versions: AsyncGenerator<ListedVersion | ListedMarker>) {
    this.key = key
    this.#versions = versions
  }

  static of({ versions }: ImportingStore, { bucket, signal }: OfBucket, key: string): KeyHistory {
    const entries = oldestFirst<ListedVersion | ListedMarker>(async (after) => {
      const markers = after && { keyMarker: after.key, versionIdMarker: after.versionId }
      const page = await versions.listPage(bucket, { prefix: key, ...markers, ...(signal && { signal }) })
      const found = page.entries.filter((entry) => entry.kind !== 'prefix')
      const own = found.filter((entry) => entry.key === key)
      // Others that begin with the key come after it.
      return { entries: own, isTruncated: page.isTruncated && own.length === found.length }
    })
    return new KeyHistory(key, entries)
  }

  async next(): Promise<ListedVersion | ListedMarker | undefined> {
    const next = await this.#versions.next()
    return next.done === true ? undefined : next.value
  }
}
