import type { ErasedVersion } from '../events/index.ts'
import { contentId } from '../views/contents.ts'
import { type GarbagePlace, garbageTable, shareTable } from '../views/content-tables.ts'
import { isPinned, loadPins } from '../views/pins.ts'
import type { Rows } from '../views/row-reader.ts'
import type { Pin } from '../views/rows.ts'
import { pastVersionTable } from '../views/tables.ts'
import type { Rule } from './rule.ts'

/** A version whose bytes can be erased, and their place. */
interface Erasable {
  readonly version: ErasedVersion
  readonly place: GarbagePlace
}

/** Erases only bytes that no version and no snapshot needs. No effect for others. */
export const eraseVersions: Rule<'EraseVersions', readonly Erasable[]> = {
  async load(rows, { bucket, versions }) {
    const pins = await loadPins(rows)
    const found = await Promise.all(versions.map((version) => erasable(rows, { bucket, ...version }, pins)))
    return versions.flatMap((version, i) => {
      const place = found[i]
      return place === undefined ? [] : [{ version, place }]
    })
  },

  decide(found, { bucket }) {
    if (found.length === 0) return []
    // Versions that share bytes have one place.
    const places = new Map(found.map(({ place }) => [`${place.freedBy}/${place.index}`, place]))
    return [
      { type: 'ErasureRequested', data: { bucket, versions: found.map(({ version }) => version) } },
      { type: 'ErasureStarted', data: { contents: [...places.values()] } },
    ]
  },
}

async function erasable(
  rows: Rows,
  { bucket, key, version }: ErasedVersion & { readonly bucket: string },
  pins: readonly Pin[],
): Promise<GarbagePlace | undefined> {
  const row = await rows.get(pastVersionTable.key(bucket, key, version))
  if (row?.until === undefined || row.deleteMarker) return undefined
  const id = contentId(row.facts.content)
  if (id === undefined) return undefined
  const share = await rows.get(shareTable.key(id))
  if (share !== undefined && share.freedBy === undefined) return undefined
  const place = { freedBy: share?.freedBy ?? row.until, index: 0 }
  const garbage = await rows.get(garbageTable.key(place))
  return garbage === undefined || isPinned(place, garbage, pins) ? undefined : place
}
