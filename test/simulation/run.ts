/** One run: a store is set up, and its clients work on a machine whose every effect waits for its turn. */
import { type CreateBucketOptions, isStorageError } from '@varve/core'
import type { ModelAnswer, ModelCommand } from '@varve/core/model'
import { Bindings, bindingsOf } from '../model/bindings.ts'
import { runCommand } from '../model/run-command.ts'
import { type Booted, emptyMachine, type Image, Machine } from './machine.ts'
import { randomFrom } from '../support/random.ts'
import type { ReadStep, RestoreStep, UndoStep, Scenario, Step } from './scenario.ts'
import { atOnce, type Fault, World } from './world.ts'

/** What a read showed, in the store's own names. */
export type Shown = readonly (string | boolean | undefined)[]

export type Answer =
  | ModelAnswer
  | { readonly shown: readonly Shown[] }
  | { readonly restored: readonly string[] }
  | { readonly undone: readonly string[] }

/** A client's request, and when it came: requests and answers are counted as they come. */
export interface Operation {
  readonly step: Step
  readonly issued: number
  answered?: number
  answer?: Answer
}

export interface RunOptions {
  readonly scenario: Scenario
  readonly seed: number
  readonly fault?: Fault | undefined
  /** Go on with a machine that has a past, instead of the setup of the scenario. */
  readonly beginning?: Beginning
  /** The effect before which the power goes. @default never */
  readonly until?: number
  /** Looks at the machine between two effects. */
  readonly onRest?: ((run: Run, step: number) => Promise<void>) | undefined
}

const began = 1_700_000_000_000
const beginningsMax = 50

/** The result of a setup, or of an earlier life of the machine. */
export type Beginning = Pick<Run, 'image' | 'operations'>

const beginnings = new Map<string, Promise<Beginning>>()

/** Scenarios are tried many times, and begin the same each time. */
function setUp(scenario: Scenario): Promise<Beginning> {
  const known = beginnings.get(scenario.name)
  if (known !== undefined) return known
  if (beginnings.size >= beginningsMax) beginnings.clear()
  const beginning = Run.setUp(scenario)
  beginnings.set(scenario.name, beginning)
  return beginning
}

let made: Promise<Beginning> | undefined

/** A store that was made and closed again: 256 directories, which need not be made for every run. */
export const newStore = (): Promise<Beginning> => (made ??= makeStore())

async function makeStore(): Promise<Beginning> {
  const machine = new Machine(atOnce(randomFrom(0), began), emptyMachine)
  const booted = await machine.boot()
  await booted.close()
  return { image: machine.image, operations: [] }
}

export class Run {
  readonly machine: Machine
  readonly world: World
  /** Simulated milliseconds since the epoch. */
  readonly began = began
  readonly operations: Operation[] = []
  readonly faulted: boolean
  /** What no client expected: an error without a code, or a store that does not open again. */
  readonly surprises: unknown[] = []
  readonly #newBucket: CreateBucketOptions
  #bindings = new Bindings()
  /** The open store, or the promise of one while it is being opened again; `undefined` when it does not open. */
  #session: Promise<Booted | undefined> = Promise.resolve(undefined)
  #current: Booted | undefined
  /** Counts questions and answers: of any two it is known which was first. */
  #state = 0

  private constructor(options: RunOptions, beginning?: Beginning) {
    const random = randomFrom(options.seed)
    this.faulted = options.fault !== undefined
    this.#newBucket = options.scenario.sealed === true ? { settings: { Encryption: { mode: 'AES256' } } } : {}
    this.world = new World({
      random,
      now: began,
      fault: options.fault,
      until: options.until,
      onRest: (step) => options.onRest?.(this, step),
    })
    this.machine = new Machine(this.world, beginning?.image ?? emptyMachine)
    this.operations.push(...(beginning?.operations ?? []))
    this.#state = Math.max(0, ...this.operations.map(({ issued, answered = issued }) => answered + 1))
  }

  /** Resolves when every client is done, or cannot go on, and nothing stirs. */
  static async of(options: RunOptions): Promise<Run> {
    const { setup, clients } = options.scenario
    // The first opening of a process loads code, which is no effect: the world would seem to be at rest meanwhile.
    await newStore().catch(() => undefined)
    const beginning = options.beginning ?? (setup.length === 0 ? undefined : await setUp(options.scenario))
    const run = new Run(options, beginning)
    if (beginning === undefined) {
      run.world.start()
      void run.#open()
    } else {
      const booted = await run.#open()
      if (booted !== undefined) run.#bindings = await bindingsOf(booted.store)
      await run.world.rest()
    }
    for (const steps of clients) void run.#client(steps, options.scenario.thinking)
    await run.world.run()
    return run
  }

  /** A run of nothing but the setup, at once: what other runs of the scenario begin with. */
  static async setUp(scenario: Scenario): Promise<Beginning> {
    const run = new Run({ scenario: { ...scenario, clients: [] }, seed: 0 }, await newStore())
    const booted = await run.#open()
    await run.#client(scenario.setup)
    await booted?.close()
    return run
  }

  get image(): Image {
    return this.machine.image
  }

  #open(previous?: Booted): Promise<Booted | undefined> {
    this.#current = undefined
    this.#session = this.#boot(previous)
    return this.#session
  }

  async #boot(previous: Booted | undefined): Promise<Booted | undefined> {
    try {
      await previous?.close().catch(() => undefined)
      this.#current = await this.machine.boot()
    } catch (error) {
      if (!this.faulted || !isStorageError(error)) this.surprises.push(error)
    }
    return this.#current
  }

  async #client(steps: readonly Step[], thinking = false): Promise<void> {
    for (const step of steps) {
      if (thinking) await this.world.effect({ operation: 'notice', subject: 'answer' }, () => undefined)
      const booted = await this.#session
      if (booted === undefined) return
      try {
        await this.#perform(booted, step)
      } catch (error) {
        this.surprises.push(error)
      }
    }
  }

  async #perform(booted: Booted, planned: Step): Promise<void> {
    const step = this.#withinLimits(planned)
    const operation: Operation = { step, issued: this.#state++ }
    this.operations.push(operation)
    const answer = await this.#ask(booted, step)
    operation.answered = this.#state++
    operation.answer = answer
    if ('error' in answer && answer.error === 'StoreFailed') await this.#recover(booted)
  }

  /**
   * An object that has no ETag yet when the request is sent cannot be its condition, even if it has an ETag when the
   * request runs.
   */
  #withinLimits(step: Step): Step {
    if (!('ifMatch' in step) || step.ifMatch === undefined || this.#bindings.knowsEtag(step.ifMatch)) return step
    return { ...step, ifMatch: 'nothing' }
  }

  async #ask(booted: Booted, step: Step): Promise<Answer> {
    switch (step.type) {
      case 'reopen':
        await this.#reopen(booted)
        return { ok: {} }
      case 'sweep':
        return answering(async () => {
          await booted.store.sweep({ orphans: true })
          return { ok: {} }
        })
      case 'erase':
        return answering(async () => {
          await booted.store
            .as({ by: { id: 'local', name: 'local' }, requestId: step.name })
            .erase({ bucket: step.bucket, key: step.key })
          return { ok: {} }
        })
      case 'restore':
        return answering(async () => ({ restored: await restored(booted, step) }))
      case 'undo':
        return answering(async () => ({ undone: await undone(booted, step) }))
      case 'get':
      case 'list':
      case 'listVersions':
        return answering(async () => ({ shown: await read(booted, step) }))
      default:
        return runCommand(booted.store, step satisfies ModelCommand, this.#bindings, this.#newBucket)
    }
  }

  /** Someone notices after a while, and opens the store again; meanwhile the others go on as well as they can. */
  async #recover(booted: Booted): Promise<void> {
    await this.world.effect({ operation: 'notice', subject: 'failure' }, () => undefined)
    await this.#reopen(booted)
  }

  /** The first opens it, and the others wait for that. */
  async #reopen(booted: Booted): Promise<void> {
    if (this.#current === booted) await this.#open(booted)
  }
}

async function answering(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    if (isStorageError(error)) return { error: error.code }
    throw error
  }
}

const oneByOne = { inParts: true, partSize: 1 } as const

/** The keys that were restored. */
async function restored({ store }: Booted, { name, bucket, to, parted }: RestoreStep): Promise<readonly string[]> {
  const requested = store.as({ by: { id: 'local', name: 'local' }, requestId: name })
  const { entries } = await requested.restore({ bucket, to, onConflict: 'skip', ...(parted && oneByOne) })
  return entries.map(({ key }) => key)
}

/** The keys that an undo changed. */
async function undone({ store }: Booted, { name, of, parted }: UndoStep): Promise<readonly string[]> {
  const requested = store.as({ by: { id: 'local', name: 'local' }, requestId: name })
  const { entries } = await requested.undo({ requestId: of, onConflict: 'skip', ...(parted && oneByOne) })
  return entries.flatMap((entry) => (entry.kind === 'key' ? [entry.key] : []))
}

async function read({ store }: Booted, step: ReadStep): Promise<readonly Shown[]> {
  const { bucket } = step
  if (step.type === 'get') {
    const got = await store.objects.get(bucket, step.key)
    return [[step.key, got.versionId, await got.text()]]
  }
  const shown: Shown[] = []
  if (step.type === 'list') {
    for await (const entry of store.objects.list(bucket))
      if (entry.kind === 'object') shown.push([entry.key, entry.versionId])
    return shown
  }
  for await (const entry of store.versions.list(bucket)) {
    if (entry.kind !== 'prefix') shown.push([entry.key, entry.versionId, entry.isLatest, entry.kind])
  }
  return shown
}
