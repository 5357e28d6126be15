/** Erases the bytes of chosen versions: plans outside the writer turn, and commits what is still as planned. */
import type { Soon } from '../base/soon.ts'
import { isStorageError, StorageError } from '../base/errors.ts'
import type { EraseRequest } from '../api/types/index.ts'
import type { Engine } from '../engine/engine.ts'
import type { ErasedVersion, RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { noSuchBucket } from '../reads/conditions.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { withRows } from '../requests/read-scope.ts'
import { contentId } from '../views/contents.ts'
import { erasingTable, type GarbagePlace } from '../views/content-tables.ts'
import { committedRows } from '../views/row-reader.ts'
import type { BucketRow, Past } from '../views/rows.ts'
import { bucketTable } from '../views/tables.ts'
import { findVersions } from './find-versions.ts'
import { type ErasurePlan, planErasure, type PlannedVersion } from './plan-erasure.ts'

/** So that a receipt is a file which can be read at once. */
const receiptVersionsMax = 1000
/** The maximum number of versions in one commit, unless more of them share bytes. */
const versionsMax = 250

export interface Erased {
  readonly done: readonly PlannedVersion[]
  readonly refused: readonly PlannedVersion[]
  readonly erasedBefore: number
  readonly pending: number
  /** The positions of the `ErasureRequested`. */
  readonly requests: readonly Seq[]
}

/** `deleteBytes` ends erasures that have started. @throws StorageError `NoSuchBucket`, `NoSuchVersion` */
export async function erase(
  engine: Engine,
  context: StoreContext,
  { request, deleteBytes }: { readonly request: EraseRequest; readonly deleteBytes: () => Promise<void> },
): Promise<Erased> {
  engine.assertOpen()
  if (request.dryRun !== true) engine.assertWritable()
  await engine.fresh()
  const { versions, erasedBefore } = await plan(engine, context, request)
  const chosen = versions.filter(({ reason }) => reason === undefined)
  const refused = versions.filter(({ reason }) => reason !== undefined)
  if (request.dryRun === true || chosen.length === 0) {
    return { done: chosen, refused, erasedBefore, pending: 0, requests: [] }
  }
  if (request.receipt === true) await assertReceipt(engine, chosen.length, request.signal)
  const events = await commitAll(engine, context, { request, chosen })
  await deleteBytes().catch((error: unknown) => {
    // Another engine sweeps: it deletes them.
    if (!isStorageError(error, 'LeaseHeld')) throw error
  })
  const requests = events.flatMap((event) => (event.type === 'ErasureRequested' ? [event] : []))
  const erased = new Set(requests.flatMap(({ data }) => data.versions).map(nameOf))
  const isDone = ({ key, row }: PlannedVersion) => erased.has(nameOf({ key, version: row.seq }))
  const changed = chosen
    .filter((version) => !isDone(version))
    .map((version) => ({ ...version, reason: 'changed' as const }))
  return {
    done: chosen.filter(isDone),
    refused: [...refused, ...changed],
    erasedBefore,
    pending: await countPending(engine, events),
    requests: requests.map(({ seq }) => seq),
  }
}

/** @throws StorageError `InvalidRequest`; what prevents receipts */
async function assertReceipt({ receipts }: Engine, versions: number, signal: AbortSignal | undefined): Promise<void> {
  if (versions > receiptVersionsMax) {
    throw new StorageError(
      'InvalidRequest',
      `A receipt is for at most ${receiptVersionsMax} versions, and these are ${versions}: choose fewer, or prove the events of the erasure later.`,
    )
  }
  await receipts?.ready(signal)
}

function plan(engine: Engine, context: StoreContext, request: EraseRequest): Soon<ErasurePlan> {
  const { requests, ports } = engine
  return withRows({ requests, context }, async (reader, rows) => {
    const found = await findVersions(reader, ports.hashing, request)
    if (found.length === 0 && (await rows.get(bucketTable.key(request.bucket))) === undefined) {
      const past = await rows.first<Past<BucketRow>>(bucketTable.pastFrom(request.bucket, Number.MAX_SAFE_INTEGER))
      if (past === undefined) throw noSuchBucket(request.bucket)
    }
    return planErasure(rows, found, { request, at: engine.clock.locksAt(ports.clock.now()) })
  })
}

interface Committing {
  readonly request: EraseRequest
  readonly chosen: readonly PlannedVersion[]
}

async function commitAll(
  engine: Engine,
  context: StoreContext,
  { request: { bucket, onProgress, signal }, chosen }: Committing,
): Promise<readonly RecordedEvent[]> {
  const requestId = context.requestId ?? engine.ports.ids.next()
  const events: RecordedEvent[] = []
  let done = 0
  for (const part of commitsOf(chosen)) {
    signal?.throwIfAborted()
    const versions = part.map(({ key, row, isLive }) => ({ key, version: row.seq, removes: isLive }))
    events.push(...(await engine.requests.submit('EraseVersions', { bucket, versions }, { ...context, requestId })))
    done += part.length
    onProgress?.({ done, total: chosen.length })
  }
  return events
}

/** Versions that share bytes are in one commit, however many they are: they go together, or not at all. */
function commitsOf(chosen: readonly PlannedVersion[]): readonly (readonly PlannedVersion[])[] {
  const sharing = new Map<string | PlannedVersion, PlannedVersion[]>()
  for (const version of chosen) {
    const id = contentId(version.row.facts.content) ?? version
    const others = sharing.get(id)
    if (others === undefined) sharing.set(id, [version])
    else others.push(version)
  }
  const commits: PlannedVersion[][] = [[]]
  for (const versions of sharing.values()) {
    if ((commits.at(-1)?.length ?? 0) + versions.length > versionsMax) commits.push([])
    commits.at(-1)?.push(...versions)
  }
  return commits.filter((commit) => commit.length > 0)
}

/** Contents whose bytes wait for reads in progress. */
async function countPending({ ports }: Engine, events: readonly RecordedEvent[]): Promise<number> {
  const places = events.flatMap(({ type, data }): readonly GarbagePlace[] =>
    type === 'ErasureStarted' ? data.contents : [],
  )
  const rows = committedRows(ports.journal, ports.hashing)
  const waiting = await Promise.all(places.map(async (place) => rows.get(erasingTable.key(place))))
  return waiting.filter((row) => row !== undefined).length
}

const nameOf = ({ key, version }: ErasedVersion): string => JSON.stringify([key, version])
