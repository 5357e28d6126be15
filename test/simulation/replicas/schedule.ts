/**
 * A random schedule of stores that write one replica: they commit, sweep, copy, join and remove what was erased, are killed and started
 * again, take over, and each of their requests to the target can fail, be late, be torn, or lose its answer. After each step, what the
 * replica can be restored to must be the log of one of them, with everything that any of them was told to be there, and with all bytes but
 * those that somebody had erased. At the end, a writer without faults removes these.
 */
import { nodeHashing } from '@varve/adapters'
import {
  type BlobId,
  type Copied,
  isStorageError,
  type JobPlaces,
  LiveParts,
  type Packing,
  readReplicaState,
  ReplicaErasure,
  ReplicaPins,
  ReplicaReader,
  ReplicaUpkeep,
  ReplicaViews,
  Replicator,
  verifyReplica,
  withholdErased,
} from '@varve/core'
import type { Random } from '../../support/random.ts'
import type { Branches, BranchLog } from './branches.ts'
import { ComparedViews } from './compared-views.ts'
import { type Fate, SimTarget } from './sim-target.ts'

const packing: Packing = {
  pack: async (bytes) => ({ form: 'plain', bytes }),
  unpack: async (_form, bytes) => bytes,
}

/** What a store has on its disk. */
interface Disk {
  readonly writer: string
  readonly log: BranchLog
  /** What it has erased in a sweep, or never had. */
  readonly gone: Set<BlobId>
  /** What its replica has confirmed, in a row. */
  confirmed: string | undefined
}

/** A process with a store. */
interface Process {
  readonly name: string
  readonly disk: Disk
  readonly pins: ReplicaPins
  /** 0: what sweeps erased is removed from the replica too. */
  readonly keepErasedMs: number | undefined
  head: number
  /** What it has committed since it began to write the replica. */
  live: LiveParts | undefined
  replicator: Replicator | undefined
  upkeep: ReplicaUpkeep | undefined
  erasure: ReplicaErasure | undefined
  views: ReplicaViews | undefined
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
  /** Whether views are written too. */
  readonly hasViews: boolean
  /** Whether what is committed is kept in memory for the next files. */
  readonly hasLive: boolean
  /** How many files become one. */
  readonly joinedAtOnce: number
}

export interface ScheduleResult {
  /** What is wrong, if anything. */
  readonly failure: string | undefined
  readonly states: number
  readonly confirmed: number
  /** How often files were joined. */
  readonly joined: number
  /** How many contents that were erased were looked for at the end. */
  readonly erased: number
  /** How often rows that were restored with views of the replica were compared with those of the whole log. */
  readonly compared: number
}

/** Of what a process had sent when it was killed. */
const lastFates: readonly Fate[] = ['failed', 'late', 'unanswered']
const fates: readonly Fate[] = ['failed', 'unanswered', 'late', 'torn', 'torn late']
const job = 'replication target'
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export async function runSchedule(options: ScheduleOptions): Promise<ScheduleResult> {
  const schedule = new Schedule(options, await nodeHashing())
  return schedule.run()
}

class Schedule {
  readonly #options: ScheduleOptions
  readonly #hashing: Awaited<ReturnType<typeof nodeHashing>>
  readonly #target = new SimTarget()
  readonly #views: ComparedViews
  readonly #confirmed: Confirmed[] = []
  readonly #processes: Process[] = []
  #started = 0
  #joined = 0
  #erased = 0
  /** The last process that was told that something is in the replica. */
  #last: Process | undefined

  constructor(options: ScheduleOptions, hashing: Awaited<ReturnType<typeof nodeHashing>>) {
    this.#options = options
    this.#hashing = hashing
    this.#views = new ComparedViews(hashing)
  }

  async run(): Promise<ScheduleResult> {
    const { steps, branches } = this.#options
    this.#start(newDisk('one', branches.trunk), 3)
    let states = 0
    const result = (failure: string | undefined): ScheduleResult => ({
      failure,
      states,
      confirmed: this.#confirmed.length,
      joined: this.#joined,
      erased: this.#erased,
      compared: this.#views.compared,
    })
    for (; states < steps; states++) {
      await this.#step()
      const failure = await this.#judge()
      if (failure !== undefined) return result(failure)
    }
    return result(await this.#end())
  }

  /** All processes end, and what they had sent arrives. Then a writer of the last one's store works without faults. */
  async #end(): Promise<string | undefined> {
    const last = this.#last
    for (const process of this.#processes) this.#kill(process)
    await settle()
    for (const late of this.#target.late.splice(0)) late()
    if (last === undefined) return undefined
    const { disk, head } = last
    const process = this.#start(disk, head)
    try {
      await this.#withoutFaults(() => this.#follow(process))
    } catch (error) {
      // The replica belongs to another branch.
      if (isStorageError(error, 'ReplicaDiverged', 'ReplicaHeld')) return undefined
      return `the last writer fails: ${String((error as Error).stack)}`
    }
    return (await this.#judge()) ?? this.#keepsErased(process)
  }

  async #withoutFaults(work: () => Promise<void>): Promise<void> {
    let isDone = false
    const working = work().finally(() => (isDone = true))
    working.catch(() => undefined)
    while (!isDone) {
      for (const request of this.#target.pending.slice()) request.settle('done')
      await settle()
    }
    await working
  }

  async #follow(process: Process): Promise<void> {
    const { replicator, upkeep, erasure, views } = await this.#opened(process, true)
    while (replicator.position < process.head) {
      const part = await replicator.copy(process.head)
      upkeep.add(part)
      erasure.copied(part, part.hasRequests)
    }
    while (await upkeep.merge());
    await erasure.run()
    await views?.step()
  }

  /** What somebody had erased must not be anywhere in the replica. Its rows are in files that are not packed here. */
  #keepsErased({ disk: { log }, head, keepErasedMs }: Process): string | undefined {
    for (const [id, { seq, isRequested }] of log.erased) {
      if (seq > head || (!isRequested && keepErasedMs === undefined)) continue
      this.#erased++
      if (this.#target.blobs.has(id)) return `blob ${id} was erased, and is in the replica`
      for (const [name, bytes] of this.#target.files)
        if (!name.startsWith('erased/') && isIndexed(bytes, id)) return `row ${id} was erased, and is in ${name}`
    }
    return undefined
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
    if (dice < 18) this.#commit(process)
    else if (dice < 20) await this.#sweep(process)
    else if (dice < 28) this.#begin(process, this.#options.random.below(4) === 0)
    else if (dice < 70) this.#copy(process)
    else if (dice < 90) this.#merge(process)
    else if (dice < 95) this.#target.late.splice(this.#options.random.below(this.#target.late.length + 1), 1)[0]?.()
    else this.#kill(process)
  }

  #commit(process: Process): void {
    const { disk, live } = process
    if (process.head >= disk.log.events.length) return
    const seq = ++process.head
    // What another engine on the log commits is not seen.
    if (seq % 5 > 0) live?.add(disk.log.commitOf(seq))
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

  #start(disk: Disk, head: number): Process {
    const places = {
      read: async () => disk.confirmed,
      write: async (_name: string, text: string) => void (disk.confirmed = text),
    } as unknown as JobPlaces
    const clock = { monotonic: () => this.#started * 60_000 }
    const process: Process = {
      name: `process ${++this.#started}`,
      disk,
      pins: new ReplicaPins({ places, clock, isShared: false }, [{ job, maxBytes: 1e9 }]),
      keepErasedMs: this.#options.random.below(2) === 0 ? 0 : undefined,
      head,
      busy: { copy: false, merge: false, begin: false },
      live: undefined,
      replicator: undefined,
      upkeep: undefined,
      erasure: undefined,
      views: undefined,
      isKilled: false,
    }
    this.#processes.push(process)
    return process
  }

  /** Erases what was freed and what no replica needs. */
  async #sweep({ disk, head, pins }: Process): Promise<void> {
    const floor = Math.min(head, await pins.floor(head))
    for (const [id, seq] of disk.log.freed) if (seq <= floor) disk.gone.add(id)
  }

  /** A process of the first store, or a store that was restored from the replica just now, and goes its own way. */
  async #startAnother(): Promise<void> {
    const { random, branches } = this.#options
    if (this.#processes.filter(({ isKilled }) => !isKilled).length > 3) return
    const again = this.#any(this.#processes)
    if (again !== undefined && random.below(2) === 0) return void this.#start(again.disk, again.head)
    const restored = await this.#restorable().catch(() => undefined)
    if (restored === undefined) return
    const { events, reader } = restored
    const isTrunk = events.every((bytes, i) => Buffer.compare(bytes, branches.trunk.events[i] as Uint8Array) === 0)
    const branch = isTrunk ? branches.left.get(events.length) : undefined
    if (branch === undefined) return
    const disk = newDisk(`restored ${this.#started}`, branch)
    for (const { blob } of (await verifyReplica({ reader, hashing: this.#hashing })).findings) disk.gone.add(blob)
    this.#start(disk, events.length)
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
    this.#opened(process, takeOver)
      .then(() => this.#note(process))
      .catch((error: unknown) => this.#refused(process, error))
      .finally(() => (process.busy.begin = false))
  }

  async #opened(process: Process, takeOver: boolean) {
    const { disk, name } = process
    const into = this.#portsOf(name)
    const hashing = this.#hashing
    const from = disk.log.partsAt(
      () => process.head,
      (id) => disk.gone.has(id),
    )
    const writer = { id: disk.writer, name: disk.writer }
    const claim = `${name} ${this.#started} ${this.#options.random.below(2 ** 30)}`
    const live = this.#options.hasLive ? new LiveParts(into, { eventsMax: 3 }) : undefined
    process.live = live
    const beginning = { from, into, hashing, writer, claim, at: 0, takeOver, ...(live && { live }) }
    const { replicator, state } = await Replicator.begin(beginning)
    const upkeep = new ReplicaUpkeep({ ...into, term: replicator.term, atOnce: this.#options.joinedAtOnce }, state)
    const { keepErasedMs } = process
    const removing = { from, into, hashing, replicator, upkeep, keepErasedMs, now: () => Number.MAX_SAFE_INTEGER }
    const erasure = await ReplicaErasure.begin(removing, state)
    const often = { eventsMin: 3, rowsShare: 0 }
    const views = this.#options.hasViews ? await ReplicaViews.begin({ ...removing, ...often }) : undefined
    return Object.assign(process, { replicator, upkeep, erasure, views })
  }

  #copy(process: Process): void {
    const { replicator, upkeep, erasure, busy } = process
    if (replicator === undefined || busy.copy || busy.begin || replicator.position >= process.head) return
    busy.copy = true
    replicator
      .copy(process.head)
      .then((part: Copied) => {
        upkeep?.add(part)
        erasure?.copied(part, part.hasRequests)
        return this.#note(process)
      })
      .catch((error: unknown) => this.#refused(process, error))
      .finally(() => (busy.copy = false))
  }

  #merge(process: Process): void {
    const { upkeep, erasure, views, busy } = process
    if (upkeep === undefined || busy.merge || busy.begin) return
    busy.merge = true
    upkeep
      .merge()
      .then((isJoined) => {
        if (isJoined) this.#joined++
        return erasure?.run()
      })
      .then(() => views?.step())
      .catch((error: unknown) => this.#refused(process, error))
      .finally(() => (busy.merge = false))
  }

  /** As the job of a store does, it begins again. */
  #refused(process: Process, error: unknown): void {
    if (!isStorageError(error)) this.#failure ??= `an error without a code: ${String((error as Error).stack)}`
    process.live = undefined
    process.replicator = undefined
    process.upkeep = undefined
    process.erasure = undefined
    process.views = undefined
  }

  #failure: string | undefined

  /** What the process would tell its clients, and which bytes its sweeps may erase. */
  async #note(process: Process): Promise<void> {
    const { disk, replicator, pins, isKilled } = process
    if (isKilled) return
    this.#last = process
    const position = replicator?.position ?? 0
    this.#confirmed.push({ log: disk.log, position })
    await pins.confirm(job, position)
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
    await withholdErased(ports, reader)
    const events: Uint8Array[] = []
    for await (const { bytes } of reader.journal.events()) events.push(bytes)
    return { events, reader, state }
  }

  async #judge(): Promise<string | undefined> {
    if (this.#failure !== undefined) return this.#failure
    try {
      const { events, reader } = await this.#restorable()
      const { findings } = await verifyReplica({ reader, hashing: this.#hashing, blobs: 'read' })
      const missing = findings.filter(({ blob, error }) => error.code !== 'BlobMissing' || !this.#mayBeGone(blob))
      if (missing.length > 0)
        return `${missing.length} blobs of the replica are missing or damaged: ${missing[0]?.blob}`
      return this.#misses(events) ?? this.#isUnknown(events) ?? (await this.#wrongViews(reader))
    } catch (error) {
      return `the replica cannot be read: ${String((error as Error).stack)}`
    }
  }

  /** A restore with views of the replica has the same rows as one without. */
  async #wrongViews(reader: ReplicaReader): Promise<string | undefined> {
    const has = [...this.#target.files].filter(([name]) => name.startsWith('views/'))
    return this.#views.areWrong(reader, has.map(([name, bytes]) => `${name} ${bytes.length}`).join())
  }

  /** Somebody had it erased, or a store erased it after the replica had it, and writes it again after others wrote there. */
  #mayBeGone(id: BlobId): boolean {
    return this.#processes.some(({ disk: { log, gone }, head }) => {
      if ((log.erased.get(id)?.seq ?? Number.POSITIVE_INFINITY) <= head) return true
      const freed = log.freed.get(id) ?? Number.POSITIVE_INFINITY
      return gone.has(id) && this.#confirmed.some((each) => each.log === log && each.position >= freed)
    })
  }

  #misses(events: readonly Uint8Array[]): string | undefined {
    for (const { log, position } of this.#confirmed)
      for (let seq = 1; seq <= position; seq++)
        if (!isSame(events[seq - 1], log.events[seq - 1])) return `event ${seq} was confirmed, and is not there`
    return undefined
  }

  #isUnknown(events: readonly Uint8Array[]): string | undefined {
    const isOf = ({ disk, head }: Process): boolean =>
      events.length <= head && events.every((bytes, i) => isSame(bytes, disk.log.events[i]))
    return this.#processes.some(isOf) ? undefined : `no store ever had these ${events.length} events`
  }
}

const newDisk = (writer: string, log: BranchLog): Disk => ({ writer, log, gone: new Set(), confirmed: undefined })

/** Ids are in the index of a file, which is not packed here. */
const isIndexed = (bytes: Uint8Array, id: BlobId): boolean =>
  [
    ...Buffer.from(bytes)
      .toString('latin1')
      .matchAll(/"ids":"([0-9a-f]*)"/g),
  ].some(([, ids]) => ids?.includes(id) === true)

const isSame = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a !== undefined && b !== undefined && Buffer.compare(a, b) === 0
