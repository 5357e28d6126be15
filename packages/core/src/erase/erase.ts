/** Erases the bytes of chosen versions and uploads: plans outside the writer turn, and commits what is still as planned. */
import { isStorageError, StorageError } from '../base/errors.ts'
import type { EraseRequest } from '../api/types/index.ts'
import type { Engine } from '../engine/engine.ts'
import type { ErasedVersion, RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { withRows } from '../requests/read-scope.ts'
import { erasingTable, type GarbagePlace, garbageTable, placeName } from '../views/content-tables.ts'
import { committedRows } from '../views/row-reader.ts'
import { assertKnown } from './assert-known.ts'
import { commitErasure } from './commit-erasure.ts'
import { type FoundUploads, findUploads, noUploads, type PlannedUpload } from './find-uploads.ts'
import { findVersions } from './find-versions.ts'
import { type ErasurePlan, planErasure, type PlannedVersion } from './plan-erasure.ts'
import { recordSwept } from './record-swept.ts'
import { type SweptBytes, sweptBytes, type SweptVersion } from './swept-bytes.ts'

/** How long an erasure waits for reads of other engines, in milliseconds, and how often it looks. */
const othersMs = 5000
const lookMs = 100

/** So that a receipt is a file which can be read at once. */
const receiptContentsMax = 1000

export interface Erased {
  readonly done: readonly PlannedVersion[]
  readonly refused: readonly PlannedVersion[]
  readonly uploads: { readonly done: readonly PlannedUpload[]; readonly refused: readonly PlannedUpload[] }
  readonly erasedBefore: number
  readonly pending: number
  readonly replicas?: readonly string[]
  /** The positions of the `ErasureRequested`. */
  readonly requests: readonly Seq[]
}

interface Erasing {
  readonly request: EraseRequest
  /** Ends erasures that have started. */
  readonly deleteBytes: () => Promise<void>
  /** Removes bytes that were erased before from the files. False if reads in progress keep some of them there. */
  readonly purge: (bytes: SweptBytes) => Promise<boolean>
}

/** @throws StorageError `NoSuchBucket`, `NoSuchKey`, `NoSuchVersion`, `NoSuchUpload` */
export async function erase(
  engine: Engine,
  context: StoreContext,
  { request, deleteBytes, purge }: Erasing,
): Promise<Erased> {
  engine.assertOpen()
  if (request.dryRun !== true) engine.assertWritable()
  await engine.fresh()
  const { versions, uploads, erased } = await plan(engine, context, request)
  const erasedBefore = erased.versions.length + erased.uploads.length
  const chosen = versions.filter(({ reason }) => reason === undefined)
  const refused = versions.filter(({ reason }) => reason !== undefined)
  if (request.dryRun === true || chosen.length + uploads.length + erasedBefore === 0) {
    return { done: chosen, refused, uploads: { done: uploads, refused: [] }, erasedBefore, pending: 0, requests: [] }
  }
  if (request.receipt === true)
    await assertReceipt(engine, { versions: [...chosen, ...erased.versions], uploads }, request.signal)
  const started = await commitErasure(engine, context, { request, versions: chosen, uploads })
  const end = async (): Promise<boolean> => {
    await deleteBytes().catch((error: unknown) => {
      // Another engine sweeps: it deletes them.
      if (!isStorageError(error, 'LeaseHeld')) throw error
    })
    return (await countPending(engine, started)) === 0
  }
  // Replicas may be reading what they copy.
  if (!(await end()) && (await replicasBehind(engine)).length === 0) await end()
  await endBesideOthers(engine, { started, end, signal: request.signal })
  const ours = new Set(startedBy(started).map(placeName))
  const { before, ...ended } = await endedUploads(engine, uploads, { events: started, ours })
  const planned = uploads.map(({ key, row }) => ({ bucket: request.bucket, key, upload: row.seq }))
  const swept = await sweptBytes(engine.ports, {
    versions: erased.versions,
    uploads: [...planned, ...erased.uploads],
    isOurs: (place) => ours.has(placeName(place)),
  })
  const isPurged = await purge(swept)
  const here = (await countPending(engine, started)) + swept.waiting + (isPurged ? 0 : swept.contents)
  // Only what is gone from this store is said to be gone.
  const recorded = isPurged ? await recordSwept(engine, context, { request, swept }) : []
  const contents = startedBy(started).length + swept.contents + swept.waiting
  const replicas = contents === 0 ? [] : await replicasBehind(engine)
  const requests = [...started, ...recorded].flatMap((event) => (event.type === 'ErasureRequested' ? [event] : []))
  const requested = new Set(requests.flatMap(({ data }) => data.versions).map(nameOf))
  const isDone = ({ key, row }: PlannedVersion) => requested.has(nameOf({ key, version: row.seq }))
  const changed = chosen
    .filter((version) => !isDone(version))
    .map((version) => ({ ...version, reason: 'changed' as const }))
  return {
    done: chosen.filter(isDone),
    refused: [...refused, ...changed],
    uploads: ended,
    erasedBefore: erasedBefore + before,
    pending: Math.max(here, replicas.length === 0 ? 0 : contents),
    ...(replicas.length > 0 && { replicas }),
    requests: requests.map(({ seq }) => seq),
  }
}

interface Chosen {
  readonly versions: readonly unknown[]
  readonly uploads: readonly PlannedUpload[]
}

/** @throws StorageError `InvalidRequest`; what prevents receipts */
async function assertReceipt(
  { receipts }: Engine,
  { versions, uploads }: Chosen,
  signal: AbortSignal | undefined,
): Promise<void> {
  const contents = uploads.reduce((sum, { places }) => sum + places.length + 1, versions.length)
  if (contents > receiptContentsMax) {
    throw new StorageError(
      'InvalidRequest',
      `A receipt is for at most ${receiptContentsMax} versions${uploads.length > 0 ? ' and contents of uploads' : ''}, and these are ${contents}.`,
      { hint: 'Choose fewer, or prove the events of the erasure later with `varve prove --erasure`.' },
    )
  }
  await receipts?.ready(signal)
}

interface Plan extends Pick<ErasurePlan, 'versions'>, Pick<FoundUploads, 'uploads'> {
  /** What was erased before. */
  readonly erased: { readonly versions: readonly SweptVersion[]; readonly uploads: FoundUploads['erased'] }
}

async function plan(engine: Engine, context: StoreContext, request: EraseRequest): Promise<Plan> {
  const { requests, ports } = engine
  const { uploads: choice = false } = request
  const ids = choice === false ? undefined : await requests.uploadIds()
  return withRows({ requests, context }, async (reader, rows) => {
    const found = choice === 'only' ? [] : await findVersions(reader, ports.hashing, request)
    const finding = ids && { reader, rows, hashing: ports.hashing, ids }
    const { uploads, erased, isKnown } = finding === undefined ? noUploads : await findUploads(finding, request)
    if (found.length === 0 && !isKnown) await assertKnown(rows, request)
    const at = engine.clock.locksAt(ports.clock.now())
    const planned = await planErasure(rows, found, { request, at })
    return { versions: planned.versions, uploads, erased: { versions: planned.erased, uploads: erased } }
  })
}

interface Committed {
  readonly events: readonly RecordedEvent[]
  /** The contents whose erasure they started. */
  readonly ours: ReadonlySet<string>
}

/** `before`: those of which a sweep has erased everything first. Those that were completed first are refused. */
async function endedUploads(
  { ports }: Engine,
  uploads: readonly PlannedUpload[],
  { events, ours }: Committed,
): Promise<Erased['uploads'] & { readonly before: number }> {
  const aborted = new Set(events.flatMap(({ type, data }) => (type === 'UploadAborted' ? [data.upload] : [])))
  const rows = committedRows(ports.journal, ports.hashing)
  const [done, refused]: [PlannedUpload[], PlannedUpload[]] = [[], []]
  for (const upload of uploads) {
    const { row, isInProgress, places } = upload
    const waiting = await Promise.all(places.map(async (place) => rows.get(garbageTable.key(place))))
    const isChanged = (isInProgress && !aborted.has(row.seq)) || waiting.some((garbage) => garbage !== undefined)
    if (isChanged) refused.push(upload)
    else if (isInProgress || places.some((place) => ours.has(placeName(place)))) done.push(upload)
  }
  return { done, refused, before: uploads.length - done.length - refused.length }
}

interface Ending {
  readonly started: readonly RecordedEvent[]
  /** Whether nothing is left. */
  readonly end: () => Promise<boolean>
  readonly signal: AbortSignal | undefined
}

/** Other engines say within a second that no read of theirs needs the bytes, if none does. A read of this one may take as long as it likes. */
async function endBesideOthers(engine: Engine, { started, end, signal }: Ending): Promise<void> {
  const { sharing, reads, ports } = engine
  const { clock, timer } = ports
  const last = started.at(-1)
  if (!sharing.isShared || timer === undefined || last === undefined) return
  const until = clock.monotonic() + othersMs
  while (clock.monotonic() < until && signal?.aborted !== true && reads.oldest >= last.seq) {
    if ((await countPending(engine, started)) === 0) return
    await timer.pause(lookMs)
    await end()
  }
}

/** The replicas that may still have bytes which were erased up to now. */
async function replicasBehind({ ports: { erasureCopies, journal } }: Engine): Promise<readonly string[]> {
  return erasureCopies === undefined ? [] : erasureCopies.behind(await journal.head())
}

/** Contents whose bytes wait for reads in progress. */
async function countPending({ ports }: Engine, events: readonly RecordedEvent[]): Promise<number> {
  const rows = committedRows(ports.journal, ports.hashing)
  const waiting = await Promise.all(startedBy(events).map(async (place) => rows.get(erasingTable.key(place))))
  return waiting.filter((row) => row !== undefined).length
}

const startedBy = (events: readonly RecordedEvent[]): readonly GarbagePlace[] =>
  events.flatMap(({ type, data }): readonly GarbagePlace[] => (type === 'ErasureStarted' ? data.contents : []))

const nameOf = ({ key, version }: ErasedVersion): string => JSON.stringify([key, version])
