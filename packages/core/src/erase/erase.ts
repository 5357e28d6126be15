/** Erases the bytes of chosen versions and uploads: plans outside the writer turn, and commits what is still as planned. */
import { isStorageError, StorageError } from '../base/errors.ts'
import type { EraseRequest } from '../api/types/index.ts'
import type { Engine } from '../engine/engine.ts'
import type { ErasedVersion, RecordedEvent } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { withRows } from '../requests/read-scope.ts'
import { erasingTable, type GarbagePlace } from '../views/content-tables.ts'
import { committedRows } from '../views/row-reader.ts'
import { assertKnown } from './assert-known.ts'
import { commitErasure } from './commit-erasure.ts'
import { type FoundUploads, findUploads, noUploads, type PlannedUpload } from './find-uploads.ts'
import { findVersions } from './find-versions.ts'
import { type ErasurePlan, planErasure, type PlannedVersion } from './plan-erasure.ts'

/** So that a receipt is a file which can be read at once. */
const receiptContentsMax = 1000

export interface Erased {
  readonly done: readonly PlannedVersion[]
  readonly refused: readonly PlannedVersion[]
  readonly uploads: { readonly done: readonly PlannedUpload[]; readonly refused: readonly PlannedUpload[] }
  readonly erasedBefore: number
  readonly pending: number
  /** The positions of the `ErasureRequested`. */
  readonly requests: readonly Seq[]
}

/** `deleteBytes` ends erasures that have started. @throws StorageError `NoSuchBucket`, `NoSuchKey`, `NoSuchVersion`, `NoSuchUpload` */
export async function erase(
  engine: Engine,
  context: StoreContext,
  { request, deleteBytes }: { readonly request: EraseRequest; readonly deleteBytes: () => Promise<void> },
): Promise<Erased> {
  engine.assertOpen()
  if (request.dryRun !== true) engine.assertWritable()
  await engine.fresh()
  const { versions, uploads, erasedBefore } = await plan(engine, context, request)
  const chosen = versions.filter(({ reason }) => reason === undefined)
  const refused = versions.filter(({ reason }) => reason !== undefined)
  if (request.dryRun === true || chosen.length + uploads.length === 0) {
    return { done: chosen, refused, uploads: { done: uploads, refused: [] }, erasedBefore, pending: 0, requests: [] }
  }
  if (request.receipt === true) await assertReceipt(engine, { chosen, uploads }, request.signal)
  const events = await commitErasure(engine, context, { request, versions: chosen, uploads })
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
    uploads: erasedUploads(uploads, events),
    erasedBefore,
    pending: await countPending(engine, events),
    requests: requests.map(({ seq }) => seq),
  }
}

interface Chosen {
  readonly chosen: readonly PlannedVersion[]
  readonly uploads: readonly PlannedUpload[]
}

/** @throws StorageError `InvalidRequest`; what prevents receipts */
async function assertReceipt(
  { receipts }: Engine,
  { chosen, uploads }: Chosen,
  signal: AbortSignal | undefined,
): Promise<void> {
  const contents = uploads.reduce((sum, { places }) => sum + places.length + 1, chosen.length)
  if (contents > receiptContentsMax) {
    throw new StorageError(
      'InvalidRequest',
      `A receipt is for at most ${receiptContentsMax} versions${uploads.length > 0 ? ' and contents of uploads' : ''}, and these are ${contents}: choose fewer, or prove the events of the erasure later.`,
    )
  }
  await receipts?.ready(signal)
}

type Plan = Pick<ErasurePlan, 'versions' | 'erasedBefore'> & Pick<FoundUploads, 'uploads'>

async function plan(engine: Engine, context: StoreContext, request: EraseRequest): Promise<Plan> {
  const { requests, ports } = engine
  const { uploads: choice = false } = request
  const ids = choice === false ? undefined : await requests.uploadIds()
  return withRows({ requests, context }, async (reader, rows) => {
    const found = choice === 'only' ? [] : await findVersions(reader, ports.hashing, request)
    const finding = ids && { reader, rows, hashing: ports.hashing, ids }
    const { uploads, isKnown, erasedBefore } = finding === undefined ? noUploads : await findUploads(finding, request)
    if (found.length === 0 && !isKnown) await assertKnown(rows, request)
    const at = engine.clock.locksAt(ports.clock.now())
    const planned = await planErasure(rows, found, { request, at })
    return { versions: planned.versions, uploads, erasedBefore: planned.erasedBefore + erasedBefore }
  })
}

/** Those of which everything is erased that the plan has found. The others were completed, or a sweep was first. */
function erasedUploads(uploads: readonly PlannedUpload[], events: readonly RecordedEvent[]): Erased['uploads'] {
  const aborted = new Set(events.flatMap(({ type, data }) => (type === 'UploadAborted' ? [data.upload] : [])))
  const started = new Set(startedBy(events).map(placeName))
  const isDone = ({ row, isInProgress, places }: PlannedUpload): boolean =>
    (!isInProgress || aborted.has(row.seq)) && places.every((place) => started.has(placeName(place)))
  return { done: uploads.filter(isDone), refused: uploads.filter((upload) => !isDone(upload)) }
}

/** Contents whose bytes wait for reads in progress. */
async function countPending({ ports }: Engine, events: readonly RecordedEvent[]): Promise<number> {
  const rows = committedRows(ports.journal, ports.hashing)
  const waiting = await Promise.all(startedBy(events).map(async (place) => rows.get(erasingTable.key(place))))
  return waiting.filter((row) => row !== undefined).length
}

const startedBy = (events: readonly RecordedEvent[]): readonly GarbagePlace[] =>
  events.flatMap(({ type, data }): readonly GarbagePlace[] => (type === 'ErasureStarted' ? data.contents : []))

const placeName = ({ freedBy, index }: GarbagePlace): string => `${freedBy}/${index}`

const nameOf = ({ key, version }: ErasedVersion): string => JSON.stringify([key, version])
