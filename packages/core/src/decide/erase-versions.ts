import type { ErasedVersion, Event } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { annotationsIn } from '../reads/annotations.ts'
import type { Annotations } from '../settings/annotation.ts'
import { isRemovable } from '../settings/retention-rules.ts'
import { contentId } from '../views/contents.ts'
import { type GarbagePlace, garbageTable, placeName, shareTable } from '../views/content-tables.ts'
import { findNewest, findOlder } from '../views/find-version.ts'
import { isPinned, loadPins, pinOf } from '../views/pins.ts'
import type { Rows } from '../views/row-reader.ts'
import type { BucketRow, Pin, ShareRow } from '../views/rows.ts'
import { bucketTable, pastVersionTable, versionTable } from '../views/tables.ts'
import type { Rule } from './rule.ts'

/** A version whose bytes can be erased, perhaps together with others that share them. */
interface Candidate {
  readonly version: ErasedVersion
  /** Names the bytes. */
  readonly id: string
  /** Where the bytes wait for their erasure. Absent: versions that exist need them. */
  readonly place?: GarbagePlace
  /** Present for a version that exists, and that the command removes. */
  readonly live?: LiveVersion
}

interface LiveVersion {
  /** The number of versions that need the bytes. */
  readonly holders: number
  readonly locks: Annotations
  /** The versions of its key: the newest one, and the one before it. */
  readonly newest: Seq | undefined
  readonly older: Seq | undefined
}

/**
 * Erases only bytes that no other version and no snapshot needs, and removes only versions whose bytes it erases. No effect
 * for others.
 */
export const eraseVersions: Rule<'EraseVersions', readonly Candidate[]> = {
  async load(rows, { bucket, versions }) {
    const place = { name: bucket, bucket: await rows.get(bucketTable.key(bucket)), pins: await loadPins(rows) }
    const found = await Promise.all(
      versions.map(async ({ removes, ...version }) =>
        (await rows.get(versionTable.key(bucket, version.key, version.version))) === undefined
          ? pastCandidate(rows, place, version)
          : removes === true
            ? liveCandidate(rows, place, version)
            : undefined,
      ),
    )
    return found.filter((candidate) => candidate !== undefined)
  },

  decide(candidates, { bucket }, _meta, { locks, end }) {
    const removed = removedOf(candidates, locks)
    const freed = new Map(removed.map(({ id }, i) => [id, { freedBy: end.seq + 1 + i, index: 0 }]))
    const isRemoved = new Set(removed)
    const erased = candidates.flatMap((candidate) => {
      const { version, id, live, place = freed.get(id) } = candidate
      return place === undefined || (live !== undefined && !isRemoved.has(candidate)) ? [] : [{ version, place }]
    })
    if (erased.length === 0) return []
    // Versions that share bytes have one place.
    const places = new Map(erased.map(({ place }) => [placeName(place), place]))
    return [
      ...removals(removed, bucket),
      { type: 'ErasureRequested', data: { bucket, versions: erased.map(({ version }) => version) } },
      { type: 'ErasureStarted', data: { contents: [...places.values()] } },
    ]
  },
}

interface Place {
  readonly name: string
  readonly bucket: BucketRow | undefined
  readonly pins: readonly Pin[]
}

async function pastCandidate(
  rows: Rows,
  { name, pins }: Place,
  version: ErasedVersion,
): Promise<Candidate | undefined> {
  const row = await rows.get(pastVersionTable.key(name, version.key, version.version))
  if (row?.until === undefined || row.deleteMarker) return undefined
  const id = contentId(row.facts.content)
  if (id === undefined) return undefined
  const share = await rows.get(shareTable.key(id))
  if (share !== undefined && share.freedBy === undefined) return { version, id }
  const place = { freedBy: share?.freedBy ?? row.until, index: 0 }
  const garbage = await rows.get(garbageTable.key(place))
  return garbage === undefined || isPinned(place, garbage, pins) ? undefined : { version, id, place }
}

async function liveCandidate(
  rows: Rows,
  { name, bucket, pins }: Place,
  version: ErasedVersion,
): Promise<Candidate | undefined> {
  const { key, version: seq } = version
  const row = await rows.get(versionTable.key(name, key, seq))
  if (bucket === undefined || row === undefined || row.deleteMarker) return undefined
  const id = contentId(row.facts.content)
  if (id === undefined) return undefined
  const share = await rows.get(shareTable.key(id))
  if (!isHeld(share, { seq, home: bucket.incarnation }, pins)) return undefined
  const hasLocks = bucket.settings?.ObjectLock !== undefined
  const live = {
    holders: share?.versions ?? 1,
    locks: hasLocks ? await annotationsIn(rows, bucket, { bucket: name, key, row }) : {},
    newest: (await findNewest(rows, name, key))?.seq,
    older: (await findOlder(rows, name, key, seq))?.seq,
  }
  return { version, id, live }
}

/** Whether versions that exist need the bytes, and nothing else does: no snapshot and no fork, and not the base of this fork. */
function isHeld(
  share: ShareRow | undefined,
  { seq, home }: { readonly seq: Seq; readonly home: Seq },
  pins: readonly Pin[],
): boolean {
  const isCounted = seq > home || (share !== undefined && share.freedBy === undefined)
  return isCounted && pinOf(pins, { since: seq, home, ...share, freedBy: Number.POSITIVE_INFINITY }) === undefined
}

/**
 * Those that exist and go: the bytes of each are needed by no version that stays. The newest of a key comes first, so that each of
 * them is the newest when it is removed, or none of them is.
 */
function removedOf(candidates: readonly Candidate[], locks: number): readonly Candidate[] {
  const removable = candidates.filter(
    ({ live }) => live !== undefined && isRemovable(live.locks, { bypassGovernance: false, locks }),
  )
  const counts = new Map<string, number>()
  for (const { id } of removable) counts.set(id, (counts.get(id) ?? 0) + 1)
  return removable
    .filter(({ id, live }) => counts.get(id) === live?.holders)
    .toSorted((a, b) => b.version.version - a.version.version)
}

function removals(removed: readonly Candidate[], bucket: string): readonly Event[] {
  /** The newest version of each key, after the removals so far. */
  const tops = new Map<string, Seq | undefined>()
  return removed.map(({ version: { key, version }, live }): Event => {
    const top = tops.has(key) ? tops.get(key) : live?.newest
    const promotes = top === version ? live?.older : undefined
    tops.set(key, top === version ? live?.older : top)
    return {
      type: 'VersionRemoved',
      data: { bucket, key, version, deleteMarker: false, ...(promotes !== undefined && { promotes }) },
    }
  })
}
