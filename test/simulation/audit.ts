/** Everything that must hold of a machine that comes up again, whatever happened to it. */
import { isStorageError, type Store } from '@varve/core'
import type { ModelCommand, ModelState } from '@varve/core/model'
import { type Bindings, bindingsOf } from '../model/bindings.ts'
import { differences } from '../model/compare.ts'
import { explain, type History } from './explain.ts'
import { type Booted, crash, type Image, Machine, scratchJournal } from './machine.ts'
import { neededBlobs } from './needed-blobs.ts'
import { type Random, randomFrom } from '../support/random.ts'
import type { Operation } from './run.ts'
import { atOnce } from './world.ts'

export interface Evidence {
  readonly operations: readonly Operation[]
  readonly faulted: boolean
  /** Also give one more command, close the store, cut the power and look again. */
  readonly further: boolean
}

const later = 1_700_100_000_000

/** What is wrong; nothing is what we want. */
export async function audit(
  image: Image,
  evidence: Evidence,
  random: Random = randomFrom(0),
): Promise<readonly string[]> {
  const machine = new Machine(atOnce(random, later), image)
  try {
    const booted = await machine.boot({ sweep: false })
    const problems = await inspect(machine, booted, evidence)
    if (problems.length > 0 || !evidence.further) return problems
    return await goOn(machine, booted, evidence)
  } catch (error) {
    return [`the store does not come up: ${describe(error)}`]
  }
}

/** The store is what the model makes of the log, and log, views and blobs agree. */
async function inspect(machine: Machine, { store }: Booted, evidence: Evidence): Promise<readonly string[]> {
  if (!(await isIdle(store))) return ['a task goes on for ever']
  await store.sweep({ orphans: true })
  const events: History['events'][number][] = []
  for await (const event of store.log()) events.push(event)
  const bindings = await bindingsOf({ log: () => eachOf(events), uploads: store.uploads })
  const { state, problems } = explain({ events, bindings, ...evidence })
  if (problems.length > 0) return problems
  const needed = neededBlobs(events, state)
  const scratch = await scratchJournal(randomFrom(0))
  const { divergences } = await store.verify({ scratch })
  return [
    ...(await differences(store, state, bindings)),
    ...(await snapshotDifferences(store, state, bindings)),
    ...divergences.map(({ kind, message, key }) => `${kind} ${key ?? ''}: ${message}`),
    ...machine.blobs().flatMap((id) => (needed.has(id) ? [] : [`blob ${id} is left over: nothing needs it`])),
    ...machine.unfinished().map((name) => `tmp/${name} was left behind`),
  ]
}

/** What was interrupted goes on by itself, and ends. */
async function isIdle(store: Store): Promise<boolean> {
  for (let looks = 0; looks < 1000; looks++) {
    if ((await store.tasks.list()).length === 0) return true
    await new Promise((resolve) => setImmediate(resolve))
  }
  return false
}

/** Each snapshot shows the state that it names, with all of its bytes. */
async function snapshotDifferences(store: Store, { snapshots }: ModelState, bindings: Bindings) {
  const lines: string[] = []
  for (const [name, then] of snapshots) {
    for (const line of await differences(await store.at(name), then, bindings)) lines.push(`at ${name}: ${line}`)
  }
  return lines
}

/** Whatever was accepted before a clean end is there after it, though the power fails right then. */
async function goOn(machine: Machine, booted: Booted, evidence: Evidence): Promise<readonly string[]> {
  const operations = [...evidence.operations]
  const command: ModelCommand = { type: 'createBucket', name: 'further', bucket: 'further' }
  await booted.store.as({ by: { id: 'local', name: 'local' }, requestId: command.name }).buckets.create(command.bucket)
  operations.push({ step: command, issued: Infinity, answered: Infinity, answer: { ok: {} } })
  await booted.close()
  const after = new Machine(atOnce(randomFrom(1), later), crash(machine.image, 'none', randomFrom(1)))
  const reopened = await after.boot({ sweep: false })
  const problems = await inspect(after, reopened, { ...evidence, operations })
  await reopened.close()
  const open = machine.files.handles + after.files.handles
  return [...problems, ...(open > 0 ? [`${open} files were left open`] : [])]
}

async function* eachOf<T>(items: readonly T[]): AsyncIterable<T> {
  yield* items
}

const describe = (error: unknown): string =>
  isStorageError(error)
    ? `${error.code} ${error.message}`
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error)
