/** Undoes chosen events: plans outside the writer turn, and commits what is still as planned. */
import type { UndoConflict, UndoEntry, UndoRequest, UndoResult } from '../api/types/index.ts'
import { isStorageError, StorageError } from '../base/errors.ts'
import type { RevertingPart } from '../commands/command.ts'
import type { Engine } from '../engine/engine.ts'
import { assertMayPlan, newestPosition } from '../engine/begin-plan.ts'
import { submitTogether, type CommandBody } from '../engine/submit-together.ts'
import { readLogPages } from '../events/log.ts'
import type { RecordedEvent } from '../events/index.ts'
import { eventFilter } from '../following/event-filter.ts'
import { positionOrStart } from '../moments/position-or-start.ts'
import type { Seq } from '../ports/index.ts'
import { keepingSource } from '../requests/find-source.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { withRows } from '../requests/read-scope.ts'
import { planUndo, type UndoPlan } from './plan-undo.ts'
import type { PlannedChange } from './planning.ts'
import { TouchedPlaces } from './touched-places.ts'

/** The maximum number of changes in one commit, for which other writers wait: see ADR 43. */
const changesMax = 250

interface Chosen {
  readonly places: TouchedPlaces
  readonly events: number
}

/**
 * @throws StorageError `UndoConflict`, `UndoTooLarge`; as `positionOf` for the moments
 */
export async function undo(engine: Engine, context: StoreContext, request: UndoRequest): Promise<UndoResult> {
  const { dryRun = false, onConflict = 'fail', inParts = false } = request
  await assertMayPlan(engine, dryRun)
  const planned = await newestPosition(engine)
  const from = request.from === undefined ? 0 : await positionOrStart(engine, request.from)
  const to = request.to === undefined ? planned : await positionOrStart(engine, request.to)
  // Bytes that were removed by these events stay until they are needed again.
  return keepingSource(engine.requests, { bucket: '', key: '', at: from }, async () => {
    const { places, events } = await choose(engine, request, { from, to, planned })
    const plan = await withRows({ requests: engine.requests, context }, (reader) =>
      planOf(engine, reader, places, request),
    )
    const result = { events, planned, erased: plan.erased, left: plan.left }
    if (dryRun) return { ...result, entries: plan.changes.map(({ entry }) => entry), conflicts: plan.conflicts }
    if (onConflict === 'fail' && plan.conflicts.length + plan.erased.length > 0) throw conflicts(plan)
    if (plan.changes.length > changesMax && !inParts) throw tooLarge(plan.changes.length)
    const { id, done, refused } = await commitAll(engine, context, request, { plan, planned, last: places.last })
    return { ...result, ...(done.length > 0 && { id }), entries: done, conflicts: [...plan.conflicts, ...refused] }
  })
}

function planOf(
  engine: Engine,
  reader: Parameters<typeof planUndo>[0],
  places: TouchedPlaces,
  { onConflict, signal }: UndoRequest,
): Promise<UndoPlan> {
  const { ports, clock, turns } = engine
  const at = ports.clock.now()
  return planUndo(reader, ports.hashing, places, {
    force: onConflict === 'force',
    at,
    locks: clock.locksAt(at),
    signal,
    turn: () => turns.wait(),
  })
}

/** Reads the log from the first event that can be chosen to its end: what came later can be a conflict. */
async function choose(
  engine: Engine,
  request: UndoRequest,
  { from, to, planned }: { readonly from: Seq; readonly to: Seq; readonly planned: Seq },
): Promise<Chosen> {
  const isMeant = eventFilter(request)
  const places = new TouchedPlaces()
  let events = 0
  for await (const page of readLogPages(engine.ports, { from: from + 1, to: planned })) {
    request.signal?.throwIfAborted()
    for (const { event } of page) {
      if (event.seq > to || !isMeant(event)) places.pass(event)
      else {
        places.choose(event)
        events++
      }
    }
    engine.turns.spend(page.length)
    const turn = engine.turns.wait()
    if (turn !== undefined) await turn
  }
  return { places, events }
}

interface Done {
  readonly id: string
  readonly done: readonly UndoEntry[]
  readonly refused: readonly UndoConflict[]
}

async function commitAll(
  engine: Engine,
  context: StoreContext,
  { onConflict = 'fail', onProgress, signal }: UndoRequest,
  { plan, planned, last }: { readonly plan: UndoPlan; readonly planned: Seq; readonly last: Seq },
): Promise<Done> {
  const id = context.requestId ?? engine.ports.ids.next()
  const shared: RevertingPart = { cause: { kind: 'undo', id, to: last }, planned, skips: onConflict !== 'fail' }
  const done: UndoEntry[] = []
  const refused: UndoConflict[] = []
  const { changes } = plan
  for (let from = 0; from < changes.length; from += changesMax) {
    signal?.throwIfAborted()
    const part = changes.slice(from, from + changesMax)
    const commands = part.map(({ command: { type, data } }) => ({ type, data: { ...data, ...shared } }) as CommandBody)
    const events = await submitTogether(engine, { ...context, requestId: id }, commands).catch(asConflict)
    const changed = new Set(events.map(placeOf))
    for (const { entry } of part) {
      if (changed.has(placeOfEntry(entry))) done.push(entry)
      else refused.push(refusedEntry(entry))
    }
    onProgress?.({ done: from + part.length, total: changes.length })
  }
  return { id, done, refused }
}

/** A bucket that was created by a chosen event has other objects. */
function asConflict(error: unknown): never {
  if (!isStorageError(error, 'BucketNotEmpty')) throw error
  throw new StorageError('UndoConflict', 'A bucket that would be deleted is not empty.', {
    cause: error,
    details: error.details,
  })
}

const placeOf = ({ data }: RecordedEvent): string => {
  const { bucket = '', key } = data as { readonly bucket?: string; readonly key?: string }
  return key === undefined ? bucket : `${bucket}/${key}`
}

const placeOfEntry = (entry: PlannedChange['entry']): string =>
  entry.kind === 'key' ? `${entry.bucket}/${entry.key}` : entry.bucket

const refusedEntry = (entry: UndoEntry): UndoConflict => ({
  bucket: entry.bucket,
  ...(entry.kind === 'key' && { key: entry.key }),
  ...(entry.kind === 'setting' && { setting: entry.setting }),
  reason: 'refused',
})

const conflicts = ({ conflicts: changed, erased }: UndoPlan): StorageError => {
  const [first] = [...changed, ...erased]
  return new StorageError(
    'UndoConflict',
    `${changed.length + erased.length} places cannot be undone. Nothing was changed. Plan with dryRun to see them, or skip them.`,
    {
      details: {
        conflicts: changed.length,
        erased: erased.length,
        ...(first !== undefined && { BucketName: first.bucket }),
        ...(first?.key !== undefined && { Key: first.key }),
      },
    },
  )
}

const tooLarge = (changes: number): StorageError =>
  new StorageError(
    'UndoTooLarge',
    `The undo makes ${changes} changes, and one commit takes ${changesMax}: allow several commits, or choose fewer events.`,
    { details: { changes, max: changesMax } },
  )
