/** Decides which of the chosen versions can be erased, and what keeps the others. */
import type { EraseRefusal, EraseRequest } from '../api/types/index.ts'
import { annotationsIn } from '../reads/annotations.ts'
import { contentId } from '../views/contents.ts'
import { type GarbagePlace, shareTable } from '../views/content-tables.ts'
import { garbageAt } from '../views/garbage.ts'
import { bucketAt } from '../views/incarnation.ts'
import { isKeptBy, loadPins, type VisibleBytes } from '../views/pins.ts'
import type { KeyedRow, Rows } from '../views/row-reader.ts'
import type { BucketRow, Pin, ShareRow, SnapshotRow } from '../views/rows.ts'
import { bucketTable, snapshotTable } from '../views/tables.ts'
import type { FoundVersion } from './find-versions.ts'
import type { SweptVersion } from './swept-bytes.ts'

export interface PlannedVersion extends FoundVersion {
  readonly isLive: boolean
  /** Absent: the bytes can be erased. */
  readonly reason?: EraseRefusal
  readonly snapshots?: readonly string[]
}

export interface ErasurePlan {
  readonly versions: readonly PlannedVersion[]
  /** Their bytes were erased before. */
  readonly erased: readonly SweptVersion[]
}

/** A version with what is stored about its bytes. */
interface Candidate extends FoundVersion {
  readonly id: string
  readonly isLive: boolean
  readonly share: ShareRow | undefined
  /** The event that freed the bytes; of no meaning while a version has them. */
  readonly place: GarbagePlace
  /** Absent: the bytes were erased. */
  readonly bytes: VisibleBytes | undefined
  readonly lock: 'live' | 'retention' | 'legalHold' | undefined
}

interface Planning {
  readonly rows: Rows
  readonly request: EraseRequest
  readonly bucket: BucketRow | undefined
  /** The time that decides whether locks have ended, in milliseconds since the epoch. */
  readonly at: number
}

/** Copies can be erased only together: a content goes if every version that has it is removed, or is chosen and can be. */
export async function planErasure(
  rows: Rows,
  found: readonly FoundVersion[],
  { request, at }: Pick<Planning, 'request' | 'at'>,
): Promise<ErasurePlan> {
  const planning = { rows, request, at, bucket: await rows.get(bucketTable.key(request.bucket)) }
  const candidates: Candidate[] = []
  for (const version of found) {
    const candidate = await candidateOf(planning, version)
    if (candidate !== undefined) candidates.push(candidate)
  }
  const removable = new Map<string, number>()
  for (const { id, isLive, lock } of candidates) {
    if (isLive && lock === undefined) removable.set(id, (removable.get(id) ?? 0) + 1)
  }
  const snapshots = await rows.all<SnapshotRow>(snapshotTable.range)
  const forks = (await loadPins(rows)).filter(({ fork }) => fork !== undefined)
  const versions = candidates.filter(({ bytes }) => bytes !== undefined)
  return {
    versions: versions.map((candidate) => planned(candidate, removable.get(candidate.id) ?? 0, { snapshots, forks })),
    erased: candidates.filter(({ bytes }) => bytes === undefined),
  }
}

async function candidateOf(planning: Planning, { key, row }: FoundVersion): Promise<Candidate | undefined> {
  const id = contentId(row.facts.content)
  if (id === undefined) return undefined
  const { rows, request } = planning
  const share = await rows.get(shareTable.key(id))
  const isLive = row.until === undefined
  const place = { freedBy: share?.freedBy ?? row.until ?? 0, index: 0 }
  const lock = isLive ? await lockOf(planning, { key, row }) : undefined
  if (isLive || (share !== undefined && share.freedBy === undefined)) {
    const { incarnation: home } = await bucketAt(rows, request.bucket, row.seq)
    const since = share?.since ?? row.seq
    const bytes = { home, ...share, since, freedBy: Number.POSITIVE_INFINITY }
    return { key, row, id, isLive, share, place, lock, bytes }
  }
  const garbage = await garbageAt(rows, place)
  return { key, row, id, isLive, share, place, lock, bytes: garbage && { ...garbage, freedBy: place.freedBy } }
}

async function lockOf({ rows, request, bucket, at }: Planning, { key, row }: FoundVersion): Promise<Candidate['lock']> {
  if (request.live !== true) return 'live'
  if (bucket?.settings?.ObjectLock === undefined) return undefined
  const { retention, legalHold } = await annotationsIn(rows, bucket, { bucket: request.bucket, key, row })
  if (legalHold === 'ON') return 'legalHold'
  return retention !== undefined && retention.until > at ? 'retention' : undefined
}

function planned(
  { key, row, isLive, share, bytes, lock }: Candidate,
  removable: number,
  { snapshots, forks }: { readonly snapshots: readonly KeyedRow<SnapshotRow>[]; readonly forks: readonly Pin[] },
): PlannedVersion {
  const version = { key, row, isLive }
  if (lock !== undefined) return { ...version, reason: lock }
  const keeping = bytes === undefined ? [] : snapshots.filter((snapshot) => isKeptBy(snapshot.row, bytes))
  if (keeping.length > 0) {
    return { ...version, reason: 'snapshot', snapshots: keeping.map((snapshot) => snapshotTable.name(snapshot.key)) }
  }
  if (bytes !== undefined && forks.some((pin) => isKeptBy(pin, bytes))) return { ...version, reason: 'fork' }
  const holders = share?.versions ?? (isLive ? 1 : 0)
  return holders > removable ? { ...version, reason: 'copy' } : version
}
