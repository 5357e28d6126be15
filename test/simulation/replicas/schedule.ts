/**
 * A random schedule of stores that write one replica: they commit, copy and join, are killed and started again, take over, and each of
 * their requests to the target can fail, be late, be torn, or lose its answer. After each step, what the replica can be restored to must be
 * the log of one of them, with everything that any of them was told to be there, and with all bytes.
 */
import { nodeHashing } from '@varve/adapters'
import {
  isStorageError,
  type Packing,
  readReplicaState,
  ReplicaReader,
  ReplicaUpkeep,
  Replicator,
  verifyReplica,
} from '@varve/core'
import type { Random } from '../../support/random.ts'
import type { Branches, BranchLog } from './branches.ts'
import { type Fate, SimTarget } from './sim-target.ts'

const packing: Packing = {
  pack: async (bytes) => ({ form: 'plain', bytes }),
  unpack: async (_form, bytes) => bytes,
}

/** A process with a store. */
interface Process {
  readonly name: string
  readonly writer: string
  readonly log: BranchLog
  head: number
  replicator: Replicator | undefined
  upkeep: ReplicaUpkeep | undefined
  /** What it is doing. */
  readonly busy: { copy: boolean; merge: boolean; begin: boolean }
  isKilled: boolean
}

/** An event that a process was told to be in the replica. */
interface Confirmed {
  readonly log: BranchLog
  readonly position: number
}

export interface ScheduleOptions {
  readonly random: Random
  readonly steps: number
  readonly branches: Branches
  /** The share of requests with another fate than `done`. */
  readonly faults: number
}

export interface ScheduleResult {
  /** What is wrong, if anything. */
  readonly failure: string | undefined
  readonly states: number
  readonly confirmed: number
  /** How often files were joined. */
  readonly joined: number
}

/** Of what a process had sent when it was killed. */
const lastFates: readonly Fate[] = ['failed', 'late', 'unanswered']
const fates: readonly Fate[] = ['failed', 'unanswered', 'late', 'torn']
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export async function runSchedule(options: ScheduleOptions): Promise<ScheduleResult> {
  const schedule = new Schedule(options, await nodeHashing())
  return schedule.run()
}

class Schedule {
  readonly #options: ScheduleOptions
  readonly #hashing: Awaited<ReturnType<typeof nodeHashing>>
  readonly #target = new SimTarget()
  readonly #confirmed: Confirmed[] = []
  readonly #processes: Process[] = []
  #started = 0
  #joined = 0

  constructor(options: ScheduleOptions, hashing: Awaited<ReturnType<typeof nodeHashing>>) {
    this.#options = options
    this.#hashing = hashing
  }

  async run(): Promise<ScheduleResult> {
    const { steps, branches } = this.#options
    this.#start('one', branches.trunk, 3)
    let states = 0
    for (; states < steps; states++) {
      await this.#step()
      const failure = await this.#judge()
      if (failure !== undefined) return { failure, states, confirmed: this.#confirmed.length, joined: this.#joined }
    }
    return { failure: undefined, states, confirmed: this.#confirmed.length, joined: this.#joined }
  }

  async #step(): Promise<void> {
    const { random } = this.#options
    if (this.#target.pending.length > 0 && random.below(10) < 8) this.#settleOne()
    else await this.#act(random.below(100))
    await settle()
  }

  async #act(dice: number): Promise<void> {
    const process = this.#any(this.#processes.filter(({ isKilled }) => !isKilled))
    if (process === undefined || dice >= 97) return this.#startAnother()
    if (dice < 20) process.head = Math.min(process.log.events.length, process.head + 1)
    else if (dice < 28) this.#begin(process, this.#options.random.below(4) === 0)
    else if (dice < 70) this.#copy(process)
    else if (dice < 90) this.#merge(process)
    else if (dice < 95) this.#target.late.splice(this.#options.random.below(this.#target.late.length + 1), 1)[0]?.()
    else this.#kill(process)
  }

  #any<T>(some: readonly T[]): T | undefined {
    return some[this.#options.random.below(Math.max(1, some.length))]
  }

  #settleOne(): void {
    const { random, faults } = this.#options
    const request = this.#any(this.#target.pending)
    const isFault = random.below(1000) < faults * 1000
    request?.settle(isFault ? (this.#any(fates) as Fate) : 'done')
  }

  #start(writer: string, log: BranchLog, head: number): void {
    const name = `process ${++this.#started}`
    const busy = { copy: false, merge: false, begin: false }
    this.#processes.push({ name, writer, log, head, busy, replicator: undefined, upkeep: undefined, isKilled: false })
  }

  /** A process of the first store, or a store that was restored from the replica just now, and goes its own way. */
  async #startAnother(): Promise<void> {
    const { random, branches } = this.#options
    if (this.#processes.filter(({ isKilled }) => !isKilled).length > 3) return
    const again = this.#any(this.#processes)
    if (again !== undefined && random.below(2) === 0) return this.#start(again.writer, again.log, again.head)
    const restored = await this.#restorable().catch(() => undefined)
    const events = restored?.events ?? []
    const isTrunk = events.every((bytes, i) => Buffer.compare(bytes, branches.trunk.events[i] as Uint8Array) === 0)
    const branch = isTrunk ? branches.left.get(events.length) : undefined
    if (branch !== undefined) this.#start(`restored ${this.#started}`, branch, events.length)
  }

  #kill(process: Process): void {
    process.isKilled = true
    // What it had sent may still arrive, or not.
    for (const request of this.#target.pending.filter(({ sender }) => sender === process.name))
      request.settle(this.#any(lastFates) as Fate)
  }

  #begin(process: Process, takeOver: boolean): void {
    if (process.replicator !== undefined && this.#options.random.below(8) > 0) return
    if (process.busy.begin || process.busy.copy || process.busy.merge) return
    process.busy.begin = true
    const into = this.#portsOf(process.name)
    const from = { journal: process.log.journalAt(() => process.head), blobs: process.log.blobs }
    const writer = { id: process.writer, name: process.writer }
    const claim = `${process.name} ${this.#started} ${this.#options.random.below(2 ** 30)}`
    Replicator.begin({ from, into, hashing: this.#hashing, writer, claim, at: 0, takeOver })
      .then(({ replicator, state }) => {
        process.replicator = replicator
        process.upkeep = new ReplicaUpkeep({ ...into, term: replicator.term }, state)
        if (!process.isKilled) this.#note(process)
      })
      .catch((error: unknown) => this.#refused(process, error))
      .finally(() => (process.busy.begin = false))
  }

  #copy(process: Process): void {
    const { replicator, upkeep, busy } = process
    if (replicator === undefined || busy.copy || busy.begin || replicator.position >= process.head) return
    busy.copy = true
    replicator
      .copy(process.head)
      .then((part) => {
        upkeep?.add(part)
        if (!process.isKilled) this.#note(process)
      })
      .catch((error: unknown) => this.#refused(process, error))
      .finally(() => (busy.copy = false))
  }

  #merge(process: Process): void {
    const { upkeep, busy } = process
    if (upkeep === undefined || busy.merge || busy.begin) return
    busy.merge = true
    upkeep
      .merge()
      .then((isJoined) => {
        if (isJoined) this.#joined++
      })
      .catch((error: unknown) => this.#refused(process, error))
      .finally(() => (busy.merge = false))
  }

  /** As the job of a store does, it begins again. */
  #refused(process: Process, error: unknown): void {
    if (!isStorageError(error)) this.#failure ??= `an error without a code: ${String((error as Error).stack)}`
    process.replicator = undefined
    process.upkeep = undefined
  }

  #failure: string | undefined

  /** What the process would tell its clients. */
  #note({ log, replicator }: Process): void {
    this.#confirmed.push({ log, position: replicator?.position ?? 0 })
  }

  #portsOf(sender: string) {
    const hashing = this.#hashing
    return { files: this.#target.filesOf(sender), blobs: this.#target.blobsOf(sender), hashing, packing }
  }

  async #restorable() {
    const ports = { ...this.#target.seen, hashing: this.#hashing, packing }
    const state = await readReplicaState(ports)
    // A file behind the end that was torn was never counted as written.
    const reader = new ReplicaReader(ports, { ...state, damaged: [] })
    const events: Uint8Array[] = []
    for await (const { bytes } of reader.journal.events()) events.push(bytes)
    return { events, reader, state }
  }

  async #judge(): Promise<string | undefined> {
    if (this.#failure !== undefined) return this.#failure
    try {
      const { events, reader } = await this.#restorable()
      const { damaged } = await verifyReplica({ reader, hashing: this.#hashing, blobs: 'read' })
      if (damaged > 0) return `${damaged} blobs of the replica are missing`
      return this.#misses(events) ?? this.#isUnknown(events)
    } catch (error) {
      return `the replica cannot be read: ${String((error as Error).stack)}`
    }
  }

  #misses(events: readonly Uint8Array[]): string | undefined {
    for (const { log, position } of this.#confirmed)
      for (let seq = 1; seq <= position; seq++)
        if (!isSame(events[seq - 1], log.events[seq - 1])) return `event ${seq} was confirmed, and is not there`
    return undefined
  }

  #isUnknown(events: readonly Uint8Array[]): string | undefined {
    const isOf = ({ log, head }: Process): boolean =>
      events.length <= head && events.every((bytes, i) => isSame(bytes, log.events[i]))
    return this.#processes.some(isOf) ? undefined : `no store ever had these ${events.length} events`
  }
}

const isSame = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a !== undefined && b !== undefined && Buffer.compare(a, b) === 0
