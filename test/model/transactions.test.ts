/**
 * Clients with transactions at once, under many schedules: each committed transaction must have read what the state
 * before its commit contains, so that the order of the log is a serial order of all of them. The sweep runs meanwhile.
 */
import { isStorageError, type RecordedEvent, type Store, type Transaction } from '@varve/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { holds, longest } from './holds.ts'
import { ScheduledWorld } from './scheduled-world.ts'
import { size } from './sizes.ts'

const runs = size('VARVE_TRANSACTIONS', { short: 60, long: 20_000 })

type Step =
  | { readonly do: 'get' | 'delete' | 'create'; readonly key: string }
  | { readonly do: 'put'; readonly key: string; readonly isLong: boolean }
  | { readonly do: 'list' }

type Script = readonly Step[]

const key = fc.constantFrom('a', 'b', 'c')
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('get', 'delete', 'create'), key }),
  fc.record({ do: fc.constant('put'), key, isLong: fc.boolean() }),
  fc.constant({ do: 'list' } as const),
)
const script: fc.Arbitrary<Script> = fc.array(step, { minLength: 1, maxLength: 5 })
/** What each client does, one transaction after the other. */
const clients = fc.array(fc.array(script, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 5 })

/** A transaction that was committed, with the answers of its last attempt. */
interface Committed {
  readonly id: string
  readonly script: Script
  readonly answers: readonly string[]
  /** The position of the state that it read. */
  readonly seq: number
}

type State = ReadonlyMap<string, string>

const bodyOf = (id: string, number: number, isLong: boolean) => `${id}.${number}`.padEnd(isLong ? 100 : 0, 'x')

async function answer(own: Transaction, one: Step, body: string): Promise<string> {
  try {
    if (one.do === 'list')
      return (await own.objects.listPage('box')).entries.map((entry) => ('key' in entry ? entry.key : '')).join()
    if (one.do === 'get') return await (await own.objects.get('box', one.key)).text()
    if (one.do === 'delete') await own.objects.delete('box', one.key)
    else await own.objects.put('box', one.key, body, one.do === 'create' ? { ifNoneMatch: '*' } : {})
    return 'ok'
  } catch (error) {
    if (isStorageError(error, 'NoSuchKey', 'PreconditionFailed')) return error.code
    throw error
  }
}

/** What the script answers if it runs alone on a state, and the state after it. */
function alone(before: State, { id, script: steps }: Committed): { readonly answers: string[]; readonly state: State } {
  const state = new Map(before)
  const answers = steps.map((one, i) => {
    if (one.do === 'list') return [...state.keys()].sort().join()
    if (one.do === 'get') return state.get(one.key) ?? 'NoSuchKey'
    if (one.do === 'create' && state.has(one.key)) return 'PreconditionFailed'
    if (one.do === 'delete') state.delete(one.key)
    else state.set(one.key, bodyOf(id, i, one.do === 'put' && one.isLong))
    return 'ok'
  })
  return { answers, state }
}

async function commit(world: ScheduledWorld, client: number, id: string, steps: Script): Promise<Committed> {
  let answers: string[] = []
  let seq = 0
  const store = world.storeOf(client).as({ by: { id: 'c', name: 'c' }, requestId: id })
  await store.transaction(
    async (own) => {
      answers = []
      seq = own.seq
      for (const [i, one] of steps.entries()) {
        await world.pause()
        answers.push(await answer(own, one, bodyOf(id, i, one.do === 'put' && one.isLong)))
      }
    },
    { attempts: 1000 },
  )
  return { id, script: steps, answers, seq }
}

/** Compares each transaction with a serial run in the order of the log. */
async function check(store: Store, committed: readonly Committed[]): Promise<void> {
  const runsOf = new Map<string, RecordedEvent[]>()
  const order: string[] = []
  for await (const event of store.log()) {
    if (!runsOf.has(event.requestId)) order.push(event.requestId)
    runsOf.set(event.requestId, [...(runsOf.get(event.requestId) ?? []), event])
  }
  const byId = new Map(committed.map((one) => [one.id, one]))
  let state: State = new Map()
  const states: { readonly seq: number; readonly state: State }[] = [{ seq: 0, state }]
  for (const id of order) {
    const events = runsOf.get(id) as RecordedEvent[]
    const last = events.at(-1) as RecordedEvent
    // The events of a transaction follow each other: it has one place in the log.
    expect(last.seq - (events[0] as RecordedEvent).seq + 1).toBe(events.length)
    const one = byId.get(id)
    if (one === undefined) continue
    const serial = alone(state, one)
    expect(one.answers).toEqual(serial.answers)
    state = serial.state
    states.push({ seq: last.seq, state })
  }
  for (const one of committed.filter(({ id }) => !runsOf.has(id))) {
    const read = states.findLast(({ seq }) => seq <= one.seq) as { readonly state: State }
    expect(one.answers).toEqual(alone(read.state, one).answers)
  }
  const present = new Map<string, string>()
  for await (const entry of store.objects.list('box'))
    if ('key' in entry) present.set(entry.key, await (await store.objects.get('box', entry.key)).text())
  expect(present).toEqual(state)
}

async function run(scripts: readonly (readonly Script[])[], scheduler: fc.Scheduler, engines: number): Promise<void> {
  const world = new ScheduledWorld(undefined, { engines })
  await world.open()
  await world.store.buckets.create('box')
  world.schedule((effect) => scheduler.schedule(Promise.resolve(), effect))
  const committed: Committed[] = []
  const working = scripts.map(async (own, client) => {
    for (const [i, steps] of own.entries()) {
      await world.pause()
      committed.push(await commit(world, client, `t${client}-${i}`, steps))
    }
  })
  await scheduler.waitFor(Promise.all(working))
  // What the store does by itself may go on: from now on its effects wait for nothing.
  world.schedule(() => Promise.resolve())
  await scheduler.waitIdle()
  await world.settle()
  await check(world.store, committed)
  await world.store.sweep({ orphans: true })
  expect(await world.store.verify()).toMatchObject({ ok: true })
  await world.close()
}

describe.each([
  { through: 'one engine', engines: 1 },
  { through: 'two engines on one journal', engines: 2 },
])(`transactions through $through, in ${runs} runs,`, ({ engines }) => {
  it(
    'have the effects and the answers of a serial order',
    () =>
      holds(
        'serial order',
        fc.asyncProperty(clients, fc.scheduler(), (scripts, scheduler) => run(scripts, scheduler, engines)),
        runs,
      ),
    longest,
  )
})
