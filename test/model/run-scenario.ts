/** A scenario under one schedule, and everything that must hold whatever the schedule was. */
import { isStorageError, type Store } from '@varve/core'
import { apply, emptyState, type ModelAnswer, type ModelCommand, type ModelState, sizeOf } from '@varve/core/model'
import type { Scheduler } from 'fast-check'
import { Bindings, bindingsOf } from './bindings.ts'
import { differences } from './compare.ts'
import { plainJournal, plainMedium } from './plain-journal.ts'
import { runCommand } from './run-command.ts'
import type { Act, Deed, Scenario, Unnamed } from './scenarios.ts'
import { ScheduledWorld } from './scheduled-world.ts'
import { type Look, type Seen, serialEnds } from './serial.ts'

/** What was there before. It is the same for every schedule, and is made once. */
export interface Stage {
  readonly scenario: Scenario
  readonly world: ScheduledWorld
  readonly state: ModelState
  readonly bindings: Bindings
}

export async function setStage(scenario: Scenario): Promise<Stage> {
  const world = new ScheduledWorld()
  const bindings = new Bindings()
  await world.open()
  let state = emptyState
  for (const [i, unnamed] of scenario.given.entries()) {
    const command = named(unnamed, `given${i}`)
    const { state: next, answer } = apply(state, command)
    state = next
    if ('error' in answer || 'error' in (await runCommand(world.store, command, bindings))) {
      throw new Error(`${command.name} of ${scenario.title} was refused`)
    }
  }
  await world.store.sweep()
  await world.close()
  return { scenario, world, state, bindings }
}

/** With several engines, the clients use them in turn. */
export async function runScenario(stage: Stage, scheduler: Scheduler, engines = 1): Promise<void> {
  const { scenario, state } = stage
  const bindings = new Bindings(stage.bindings)
  const world = new ScheduledWorld(stage.world, { engines })
  await world.open()
  for (let client = 0; client < engines; client++) await doDeed({ world, client }, 'sweep')
  world.schedule((effect) => scheduler.schedule(Promise.resolve(), effect))
  const seen: Seen[] = []
  let step = 0
  const clients = scenario.meanwhile.map(async (acts, i) => {
    for (const [j, act] of [acts].flat().entries()) {
      // Clients begin when the schedule decides, not all in the first moment.
      await world.pause(scenario)
      const at = { world, client: i }
      if (typeof act === 'string') await doDeed(at, act)
      else {
        const requested = 'look' in act ? act : named(act, `client${i}.${j}`)
        const called = ++step
        const answer =
          'look' in requested
            ? await look(at, requested, { bindings, scenario })
            : await runCommand(world.storeOf(i), requested, bindings)
        seen.push({ requested, answer, called, returned: ++step })
      }
    }
  })
  await scheduler.waitFor(Promise.all(clients))
  await scheduler.waitIdle()
  world.schedule(() => Promise.resolve())
  await check(world, scenario, state, seen)
}

const named = (unnamed: Unnamed, name: string): ModelCommand => ({ ...unnamed, name }) as ModelCommand

interface Place {
  readonly world: ScheduledWorld
  readonly client: number
}

/** Codes of calls that had no effect: the store may be closed meanwhile, or another engine may do the same job. */
const withoutEffect = ['StoreClosed', 'LeaseHeld', 'LeaseLost'] as const

const noEffect: ReadonlySet<string> = new Set(withoutEffect)

async function doDeed({ world, client }: Place, deed: Deed): Promise<void> {
  try {
    if (deed === 'close') await world.close(client)
    else if (deed === 'verify') nothing(await divergences(world.storeOf(client)))
    else if (deed === 'orphans') await world.storeOf(client).sweep({ orphans: true })
    else await world.storeOf(client)[deed]()
  } catch (error) {
    if (!isStorageError(error, ...withoutEffect)) throw error
  }
}

async function divergences(store: Store): Promise<readonly string[]> {
  const { divergences: found } = await store.verify({ scratch: plainJournal(plainMedium()) })
  return found.map((divergence) => `verify: ${JSON.stringify(divergence)}`)
}

async function look(
  { world, client }: Place,
  requested: Look,
  { bindings, scenario }: { readonly bindings: Bindings; readonly scenario: Scenario },
): Promise<ModelAnswer<unknown>> {
  const store = world.storeOf(client)
  const { bucket } = requested
  try {
    switch (requested.look) {
      case 'get': {
        const { key, version } = requested
        const options = version === undefined ? {} : { versionId: bindings.version(version) }
        const object = await store.objects.get(bucket, key, options)
        // The client takes its time before it reads the bytes.
        for (let left = requested.pauses ?? 1; left > 0; left--) await world.pause(scenario)
        return { ok: await object.text() }
      }
      case 'versions': {
        const { entries } = await store.versions.listPage(bucket)
        return {
          ok: entries.map((entry) => (entry.kind === 'prefix' ? entry.prefix : [entry.key, { id: entry.versionId }])),
        }
      }
      case 'parts': {
        const page = await store.uploads.listPartsPage({
          bucket,
          key: requested.key,
          uploadId: bindings.upload(requested.upload),
        })
        return { ok: page.entries.map(({ partNumber }) => partNumber) }
      }
    }
  } catch (error) {
    if (isStorageError(error)) return { error: error.code }
    throw error
  }
}

async function check(
  world: ScheduledWorld,
  { meanwhile }: Scenario,
  start: ModelState,
  seen: readonly Seen[],
): Promise<void> {
  nothing(world.late.map((effect) => `${effect} after the store was closed`))
  if (world.isShared) {
    await world.settle()
    nothing(world.keptLeases.map((lease) => `a lease that was not given back: ${lease}`))
  } else if (world.store.state === 'closed') {
    const { witness, log } = world.ends
    if (witness !== log) throw new Error(`closed with the witness at ${witness} and the log at ${log}`)
    await world.open()
  }
  await checkErasures(world.store)
  const heard = seen.filter(({ answer }) => !('error' in answer && noEffect.has(answer.error)))
  const bindings = await bindingsOf(world.store)
  const ends = serialEnds(
    start,
    heard.map((each) => ({ ...each, answer: renamed(each.answer, bindings) })),
  )
  if (ends.length === 0) throw new Error(`no order explains ${JSON.stringify(heard)}`)
  let lines: readonly string[] = []
  for (const end of ends) {
    lines = await differences(world.store, end, bindings)
    if (lines.length > 0) continue
    await checkBlobs(world, end, meanwhile)
    return nothing(await divergences(world.store))
  }
  nothing(lines)
}

/** Bytes are erased once. */
async function checkErasures(store: Store): Promise<void> {
  const known = new Set<string>()
  for await (const { type, data } of store.log()) {
    if (type !== 'ContentsErased') continue
    for (const { freedBy, index, partNumbers = [] } of data.erased) {
      const name = `${freedBy}.${index} ${partNumbers.join()}`
      if (known.has(name)) throw new Error(`the bytes of ${name} are erased twice`)
      known.add(name)
    }
  }
}

/** What a listing showed by id, by the names that are known now. */
function renamed(answer: ModelAnswer<unknown>, bindings: Bindings): ModelAnswer<unknown> {
  const rename = (_: string, value: unknown) =>
    typeof value === 'object' && value !== null && 'id' in value ? bindings.ref(String(value.id)) : value
  return JSON.parse(JSON.stringify(answer), rename) as ModelAnswer<unknown>
}

/**
 * If no client was reading, the sweeps after the commits have left nothing. Otherwise the next sweep removes the rest.
 */
async function checkBlobs(world: ScheduledWorld, state: ModelState, meanwhile: Scenario['meanwhile']): Promise<void> {
  const reads = (act: Act) => act === 'verify' || (typeof act !== 'string' && 'look' in act && act.look === 'get')
  if (world.isShared || meanwhile.flat().some(reads)) await world.store.sweep({ orphans: world.isShared })
  const bodies = [...state.buckets.values()].flatMap(({ keys, uploads }) => [
    ...[...keys.values()].flat().flatMap(({ object }) => (object === undefined ? [] : [object.body])),
    ...[...uploads.values()].flatMap(({ parts }) => [...parts.values()]),
  ])
  const needed = bodies.reduce((total, body) => total + sizeOf(body), 0)
  if (world.blobBytes > needed) throw new Error(`${world.blobBytes} bytes of blobs are there, and ${needed} would do`)
}

function nothing(lines: readonly string[]): void {
  if (lines.length > 0) throw new Error(lines.join('\n'))
}
