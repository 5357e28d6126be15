/** A run: random commands on a system and on the model, side by side, and at the end everything that can be compared. */
import { nodeHashing, randomIds } from '@varve/adapters'
import { beginEpoch, isStorageError, tipAt } from '@varve/core'
import { type ModelCommand, type ModelState, neededBodies, sizeOf } from '@varve/core/model'
import fc from 'fast-check'
import { differences } from './compare.ts'
import { diffDifferences } from './compare-diffs.ts'
import type { PastOptions } from './http-differences.ts'
import { Session } from './session.ts'
import { alone, sweepAlone, type System } from './systems.ts'
import { buckets, commandOf, type CommandSeed, forkOf, seedMax, snapshots } from './seeds.ts'

/** Things the model does not notice. */
const acts = ['sweep', 'replay', 'rebuild', 'erase'] as const

/** A restore of a bucket, or of a part of it, to some position. */
interface RestoreSeed {
  readonly restore: number
  readonly place: number
}

/** A snapshot of some position. */
interface SnapshotSeed {
  readonly snapshot: number
  readonly at: number
}

/** A fork of a bucket as it is, or was. */
interface ForkSeed {
  readonly fork: number
  readonly at: number
}

interface DropSeed {
  readonly drop: number
}

/** An undo of everything since some position. */
interface UndoSeed {
  readonly undo: number
  readonly again: boolean
}

export type Step =
  | CommandSeed
  | RestoreSeed
  | SnapshotSeed
  | ForkSeed
  | DropSeed
  | UndoSeed
  | 'reopen'
  | 'epoch'
  | (typeof acts)[number]

export interface Plan {
  readonly steps: readonly Step[]
  /** Where to look back to, modulo the positions there are. */
  readonly past: readonly number[]
  /** 0: bytes go when they are no longer needed. Else none goes. */
  readonly keep: boolean
}

const number = fc.nat(seedMax - 1)
const commandSeed = fc.record({ kind: number, place: number, pick: number, twist: number })

const step = fc.oneof(
  { weight: 32, arbitrary: commandSeed },
  { weight: 2, arbitrary: fc.constantFrom('reopen' as const, ...acts) },
  { weight: 2, arbitrary: fc.constant('epoch' as const) },
  { weight: 4, arbitrary: fc.record({ restore: number, place: number }) },
  { weight: 2, arbitrary: fc.record({ snapshot: number, at: number }) },
  { weight: 3, arbitrary: fc.record({ fork: number, at: number }) },
  { weight: 1, arbitrary: fc.record({ drop: number }) },
  { weight: 2, arbitrary: fc.record({ undo: number, again: fc.boolean() }) },
)

/** Three in four are short, which costs little and finds most. */
export const plans: fc.Arbitrary<Plan> = fc.record({
  steps: fc.oneof(
    { weight: 3, arbitrary: fc.array(step, { maxLength: 20, size: 'max' }) },
    { weight: 1, arbitrary: fc.array(step, { maxLength: 60, size: 'max' }) },
  ),
  past: fc.array(number, { minLength: 1, maxLength: 2 }),
  keep: fc.boolean(),
})

const hashing = await nodeHashing()

export const retentionOf = ({ keep }: Plan): number => (keep ? Number.MAX_SAFE_INTEGER : 0)

/** The results of a run, counted: a suite that never saw a refused condition proves little. */
export type Tally = Map<string, number>

export async function runPlan(system: System, plan: Plan, tally: Tally): Promise<void> {
  const session = new Session(system)
  const late = await runSteps({ system, session, tally }, plan)
  const { keep, past } = plan
  nothing(await system.differences(session.state, session.bindings))
  for (const number of past) await comparePast(system, session, { seq: session.positionOf(number), bytes: keep })
  await act(system, 'sweep')
  for (const seq of session.state.snapshots.keys()) {
    await comparePast(system, session, { seq, bytes: keep || !late.has(seq) })
  }
  const { states, bindings } = session
  for (const number of past) {
    const between = [session.positionOf(number), session.positionOf(number >> 3)] as const
    nothing(await diffDifferences(system.store, { states, bindings }, between))
  }
  await act(system, 'replay')
  await checkBytesHeld(system, session.state, keep)
  const { divergences } = await system.store.verify()
  nothing(divergences.map((divergence) => `verify: ${JSON.stringify(divergence)}`))
}

interface Running {
  readonly system: System
  readonly session: Session
  readonly tally: Tally
}

/** Resolves with the snapshots whose bytes may have been erased before. */
async function runSteps({ system, session, tally }: Running, { steps, keep }: Plan): Promise<ReadonlySet<string>> {
  const late = new Set<string>()
  for (const [i, step] of steps.entries()) {
    if (step === 'reopen') await session.reopen()
    else if (step === 'epoch') await inNextEpoch(system)
    else if (typeof step === 'string') await actUnless(keep && step === 'erase', system, step)
    else if ('fork' in step || 'drop' in step) count(tally, await forkOrDrop(session, step, { name: `c${i}`, keep }))
    else if ('snapshot' in step) late.add(await snapshotOfThePast(session, step, `c${i}`))
    // The model does not know which bytes were erased.
    else if ('restore' in step || 'undo' in step) await (keep && goBack(session, step, `c${i}`))
    else forget(late, await ask(session, { step, name: `c${i}` }, tally))
  }
  return late
}

function forget(late: Set<string>, command: ModelCommand): void {
  if (command.type === 'deleteSnapshot') late.delete(command.snapshot)
}

async function ask(
  session: Session,
  { step, name }: { readonly step: CommandSeed; readonly name: string },
  tally: Tally,
): Promise<ModelCommand> {
  const command = commandOf(session.state, step, name)
  const answer = await session.ask(command)
  count(tally, `${command.type} ${'error' in answer ? answer.error : 'ok'}`)
  return command
}

/** Compares the store as of a position or a snapshot with the model. */
async function comparePast(system: System, { states, state, bindings }: Session, past: PastOptions): Promise<void> {
  const { seq, bytes } = past
  const then = (typeof seq === 'number' ? states[seq] : state.snapshots.get(seq)) as ModelState
  const lines = await differences(await system.store.at(seq), then, bindings, { bytes })
  nothing(lines.map((line) => `at ${seq}: ${line}`))
  nothing((await system.pastDifferences?.(then, bindings, past)) ?? [])
}

const goBack = (session: Session, step: RestoreSeed | UndoSeed, name: string): Promise<void> =>
  'restore' in step ? restore(session, step, name) : undo(session, step, name)

function restore(session: Session, { restore: to, place }: RestoreSeed, name: string): Promise<void> {
  const bucket = buckets[place % buckets.length] as string
  const prefix = ['', '', 'a', 'a/'][(place >> 3) % 4] as string
  return session.restore({ name, bucket, prefix, to: session.positionOf(to) })
}

/** Half of them undo only the last few events, so that runs get far. */
function undo(session: Session, { undo: seed, again }: UndoSeed, name: string): Promise<void> {
  const from = seed % 2 === 0 ? seed >> 1 : Math.max(0, session.states.length - 1 - ((seed >> 1) % 8))
  return session.undo({ name, to: session.positionOf(from), again })
}

async function snapshotOfThePast(session: Session, { snapshot, at }: SnapshotSeed, name: string): Promise<string> {
  const chosen = snapshots[snapshot % snapshots.length] as string
  await session.snapshot({ name, snapshot: chosen, at: session.positionOf(at) })
  return chosen
}

/** Bytes of the past may have been erased, which the model does not know. */
function fork(
  session: Session,
  { fork: seed, at }: ForkSeed,
  { name, keep }: { readonly name: string; readonly keep: boolean },
): Promise<string> {
  const { bucket, to } = forkOf(session.state, seed)
  const isOfPast = keep && at % 2 === 0
  return session.fork({ name, bucket, to, ...(isOfPast && { at: session.positionOf(at >> 1) }) })
}

const forkOrDrop = async (
  session: Session,
  step: ForkSeed | DropSeed,
  how: Parameters<typeof fork>[2],
): Promise<string> => ('fork' in step ? `fork ${await fork(session, step, how)}` : `drop ${await drop(session, step)}`)

const drop = (session: Session, { drop: seed }: DropSeed): Promise<string> =>
  session.drop(buckets[seed % buckets.length] as string)

const actUnless = async (isLeft: boolean, system: System, what: (typeof acts)[number]): Promise<void> =>
  isLeft ? undefined : act(system, what)

async function act(system: System, what: (typeof acts)[number]): Promise<void> {
  switch (what) {
    case 'rebuild':
      return alone(() => system.store.rebuild())
    case 'sweep':
      await system.settle?.()
      await sweepAlone(system.store, { orphans: true })
      return
    case 'erase': {
      const store = system.store.as({ by: { id: 'varve', name: 'eraser' } })
      for (const bucket of buckets) await store.erase({ bucket, prefix: '' }).catch(unlessAbsent)
      return
    }
    case 'replay':
      nothing(await system.replayDifferences())
  }
}

/** Begins an epoch, unless the store itself commits something meanwhile. */
async function inNextEpoch({ store: { owner } }: System): Promise<void> {
  let end = 0
  for await (const { seq } of owner.log.events()) end = seq
  const from = end === 0 ? { seq: 0, hash: '' } : await tipAt({ journal: owner.log, hashing }, end)
  const by = { id: 'varve', name: 'restorer' }
  await beginEpoch(owner, randomIds, { from, reason: 'restored', by }).catch((error: unknown) => {
    if (!isStorageError(error, 'EpochConflict')) throw error
  })
}

function unlessAbsent(error: unknown): void {
  if (!isStorageError(error, 'NoSuchBucket')) throw error
}

/** No unneeded bytes are kept. Copies share bytes, so there may be fewer. */
async function checkBytesHeld(system: System, state: ModelState, keep: boolean): Promise<void> {
  const { bytesHeld } = system
  if (keep || bytesHeld === undefined) return
  await act(system, 'sweep')
  const needed = neededBodies(state).reduce((total, body) => total + sizeOf(body), 0)
  const held = bytesHeld()
  if (held > needed) throw new Error(`${held} bytes are held, and ${needed} would do`)
}

function nothing(lines: readonly string[]): void {
  if (lines.length > 0) throw new Error(lines.join('\n'))
}

const count = (tally: Tally, what: string): void => void tally.set(what, (tally.get(what) ?? 0) + 1)
