/** Undoes chosen events: plans outside the writer turn, and commits what is still as planned. */
import type { UndoConflict, UndoEntry, UndoRequest, UndoResult } from '../api/types/index.ts'
import { StorageError } from '../base/errors.ts'
import type { RevertingPart } from '../commands/command.ts'
import type { Engine } from '../engine/engine.ts'
import { assertMayPlan, newestPosition } from '../engine/begin-plan.ts'
import type { CommandBody } from '../engine/submit-together.ts'
import { readLogPages } from '../events/log.ts'
import { isIdentityEvent, type RecordedEvent } from '../events/index.ts'
import { eventFilter } from '../following/event-filter.ts'
import { positionOrStart } from '../moments/position-or-start.ts'
import type { Seq } from '../ports/index.ts'
import { keepingSource } from '../requests/find-source.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { withRows } from '../requests/read-scope.ts'
import { commitParts, type TaskRunner } from '../tasks/commit-parts.ts'
import { assertOneCommit } from '../tasks/part-size.ts'
import type { TaskRow } from '../views/rows.ts'
import { planUndo, type UndoPlan } from './plan-undo.ts'
import { keyName, placeOf, settingNameOf, TouchedPlaces } from './touched-places.ts'

interface Chosen {
  readonly places: TouchedPlaces
  readonly events: number
}

/** The chosen events are after `from`, up to `to`. Those up to `planned` count. */
interface Choice {
  readonly from: Seq
  readonly to: Seq
  readonly planned: Seq
  /** Its own events are behind it. */
  readonly resumed?: TaskRow
}

/**
 * @throws StorageError `UndoConflict`, `UndoTooLarge`; as `positionOf` for the moments, and as `commitParts`
 */
export async function undo(runner: TaskRunner, context: StoreContext, request: UndoRequest): Promise<UndoResult> {
  const { engine } = runner
  const { dryRun = false } = request
  await assertMayPlan(engine, dryRun)
  const planned = await newestPosition(engine)
  const from = request.from === undefined ? 0 : await positionOrStart(engine, request.from)
  const to = request.to === undefined ? planned : await positionOrStart(engine, request.to)
  return planning(engine, context, { request, from, to, planned }, async (plan, { places, events }) => {
    assertNotOnlyIdentities(plan)
    const result = { events, planned, erased: plan.erased, left: plan.left }
    if (dryRun) return { ...result, entries: plan.changes.map(({ entry }) => entry), conflicts: plan.conflicts }
    assertUndoable(plan, request)
    assertOneCommit('undo', plan.changes.length, request)
    const work = { request: { ...request, from, to }, plan, planned, keeps: from, last: places.last }
    const { id, done, refused } = await commitAll(runner, context, work)
    return { ...result, ...(done.length > 0 && { id }), entries: done, conflicts: [...plan.conflicts, ...refused] }
  })
}

/** Plans the rest of a task in the newest state: what its own events changed is behind it. @throws StorageError as `undo` */
export async function resumeUndo(
  runner: TaskRunner,
  context: StoreContext,
  request: UndoRequest,
  task: TaskRow,
): Promise<void> {
  const { engine } = runner
  const planned = await newestPosition(engine)
  const period = { from: Number(request.from), to: Number(request.to) }
  await planning(engine, context, { request, ...period, planned, resumed: task }, async (plan, { places }) => {
    assertUndoable(plan, request)
    await commitAll(runner, context, {
      request,
      plan,
      planned,
      keeps: task.keeps,
      last: places.last,
      resumed: task,
    })
  })
}

/** Bytes that were removed by the chosen events stay until they are needed again. */
function planning<R>(
  engine: Engine,
  context: StoreContext,
  { request, ...period }: Choice & { readonly request: UndoRequest },
  use: (plan: UndoPlan, chosen: Chosen) => Promise<R>,
): Promise<R> {
  return keepingSource(engine.requests, { bucket: '', key: '', at: period.from }, async () => {
    const chosen = await choose(engine, request, period)
    const plan = await withRows({ requests: engine.requests, context }, (reader) =>
      planOf(engine, reader, chosen.places, request),
    )
    return use(plan, chosen)
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
async function choose(engine: Engine, request: UndoRequest, { from, to, planned, resumed }: Choice): Promise<Chosen> {
  const isMeant = chosenBy(request)
  const places = new TouchedPlaces()
  let events = 0
  for await (const page of readLogPages(engine.pacedLog, { from: from + 1, to: planned })) {
    request.signal?.throwIfAborted()
    for (const { event } of page) {
      if (isMark(event)) continue
      if (resumed !== undefined && isOwn(event, resumed)) places.settle(event)
      else if (event.seq > to || !isMeant(event)) places.pass(event)
      else {
        places.choose(event)
        events++
      }
    }
  }
  return { places, events }
}

function chosenBy({ requestIds, ...filter }: UndoRequest): (event: RecordedEvent) => boolean {
  const matches = eventFilter(filter)
  if (requestIds === undefined) return matches
  const ids = new Set<string | undefined>(requestIds)
  return (event) => ids.has(event.requestId) && matches(event)
}

/** Says how far a task is, and changes nothing else. */
const isMark = ({ type }: RecordedEvent): boolean =>
  type === 'TaskStarted' || type === 'TaskContinued' || type === 'TaskEnded'

/** Whether an event is part of a task. The deletion of a bucket has no cause. */
const isOwn = ({ seq, data, requestId }: RecordedEvent, { id, planned }: TaskRow): boolean =>
  seq > planned && ('cause' in data ? data.cause?.id : requestId) === id

interface UndoWork {
  readonly request: UndoRequest
  readonly plan: UndoPlan
  readonly planned: Seq
  /** The bytes that were freed after it are needed. */
  readonly keeps: Seq
  /** The last chosen event. */
  readonly last: Seq
  readonly resumed?: TaskRow
}

interface Done {
  readonly id: string
  readonly done: readonly UndoEntry[]
  readonly refused: readonly UndoConflict[]
}

async function commitAll(
  runner: TaskRunner,
  context: StoreContext,
  { plan, planned, keeps, last, request, resumed }: UndoWork,
): Promise<Done> {
  const { onConflict = 'fail' } = request
  const id = context.requestId ?? runner.engine.ports.ids.next()
  const shared: RevertingPart = { cause: { kind: 'undo', id, to: last }, planned, skips: onConflict !== 'fail' }
  const done: UndoEntry[] = []
  const refused: UndoConflict[] = []
  await commitParts(runner, context, {
    id,
    kind: 'undo',
    planned,
    keeps,
    request,
    resumed,
    changes: plan.changes,
    afterOf: () => undefined,
    commandsOf: (part) =>
      part.map(({ command: { type, data } }) => ({ type, data: { ...data, ...shared } }) as CommandBody),
    committed(part, events) {
      const changed = new Set(events.map(placeOf))
      for (const { entry } of part) {
        if (changed.has(placeOfEntry(entry))) done.push(entry)
        else refused.push(refusedEntry(entry))
      }
    },
  })
  return { id, done, refused }
}

function placeOfEntry(entry: UndoEntry): string {
  if (entry.kind === 'key') return keyName(entry.bucket, entry.key)
  return entry.kind === 'setting' ? settingNameOf(entry.bucket, entry.setting) : entry.bucket
}

const refusedEntry = (entry: UndoEntry): UndoConflict => ({
  bucket: entry.bucket,
  ...(entry.kind === 'key' && { key: entry.key }),
  ...(entry.kind === 'setting' && { setting: entry.setting }),
  reason: 'refused',
})

/** A revoked key never comes back, so a request that means only such events is refused. Among others, they are left. */
function assertNotOnlyIdentities({ changes, conflicts, erased, left }: UndoPlan): void {
  if (changes.length + conflicts.length + erased.length > 0 || left.length === 0) return
  if (!left.every(({ type }) => isIdentityEvent(type))) return
  throw new StorageError('NotUndoable', 'Changes of identities, their policies and their access keys are never undone.')
}

function assertUndoable({ conflicts: changed, erased }: UndoPlan, { onConflict = 'fail' }: UndoRequest): void {
  const [first] = [...changed, ...erased]
  if (onConflict !== 'fail' || first === undefined) return
  throw new StorageError(
    'UndoConflict',
    `${changed.length + erased.length} places cannot be undone. Nothing was changed.`,
    {
      details: {
        conflicts: changed.length,
        erased: erased.length,
        BucketName: first.bucket,
        ...(first.key !== undefined && { Key: first.key }),
      },
    },
  )
}
