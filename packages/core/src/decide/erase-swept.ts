import type { ErasedVersion, Erasure, Event } from '../events/index.ts'
import { erasingTable, garbageTable, placeName } from '../views/content-tables.ts'
import { versionTable } from '../views/tables.ts'
import type { Rule } from './rule.ts'

/** Bytes that a sweep has erased, or is erasing while reads in progress need them. */
interface Candidate {
  readonly version: ErasedVersion | undefined
  readonly erasure: Erasure
  readonly isErasing: boolean
}

/**
 * Records the request for bytes that are erased already, and once more that they are: replicas that keep what sweeps erase
 * remove what an `ErasureStarted` of a request names, when the `ContentsErased` behind it says what it was. No effect for
 * bytes that are there. Contents without versions are parts of uploads.
 */
export const eraseSwept: Rule<'EraseSwept', readonly Candidate[]> = {
  async load(rows, { bucket, contents }) {
    const found: Candidate[] = []
    for (const { version, erasure } of contents) {
      const live = version && (await rows.get(versionTable.key(bucket, version.key, version.version)))
      if (live !== undefined || (await rows.get(garbageTable.key(erasure))) !== undefined) continue
      found.push({ version, erasure, isErasing: (await rows.get(erasingTable.key(erasure))) !== undefined })
    }
    return found
  },

  decide(candidates, { bucket }) {
    if (candidates.length === 0) return []
    const places = new Map(
      candidates.map(({ erasure: { freedBy, index } }) => [placeName({ freedBy, index }), { freedBy, index }]),
    )
    const erased = candidates.filter(({ isErasing }) => !isErasing).map(({ erasure }) => erasure)
    const events: Event[] = [
      { type: 'ErasureRequested', data: { bucket, versions: candidates.flatMap(({ version }) => version ?? []) } },
      { type: 'ErasureStarted', data: { contents: [...places.values()] } },
    ]
    return erased.length === 0 ? events : [...events, { type: 'ContentsErased', data: { erased } }]
  },
}
