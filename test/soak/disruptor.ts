/** What goes wrong, and when. Between two faults there is calm, in which nothing may fail. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Order } from './faults.ts'
import type { Random } from '../support/random.ts'
import type { Server } from './server.ts'

interface Disruption {
  readonly name: string
  readonly orders: readonly Order[]
  /** How long until it is healed, in milliseconds. */
  readonly lastsMs: number
}

const fault = (name: string, orders: readonly Order[], lastsMs = 1500): Disruption => ({ name, orders, lastsMs })
const many = 1e9

const disruptions: readonly Disruption[] = [
  fault('fsync of a blob fails: EIO', [{ fail: 'sync', code: 'EIO', times: 1 }]),
  fault('a write of a blob fails: EIO', [{ fail: 'write', code: 'EIO', times: 1 }]),
  fault('naming a blob fails: EIO', [{ fail: 'rename', code: 'EIO', times: 1 }]),
  fault('reading blobs fails: EIO', [{ fail: 'read', code: 'EIO', times: 3 }]),
  fault('the disk is full for blobs: ENOSPC', [{ fail: 'write', code: 'ENOSPC', times: many }]),
  fault('no more handles: EMFILE', [{ fail: 'open', code: 'EMFILE', times: many }]),
  fault('blobs cannot be removed: EIO', [{ fail: 'unlink', code: 'EIO', times: 2 }]),
  fault('a commit fails, and did not happen', [{ fail: 'commit', code: 'EIO', times: 1 }]),
  fault('commits fail again and again', [{ fail: 'commit', code: 'EIO', times: 4 }], 4000),
  fault('a commit fails, though it happened', [{ fail: 'late-commit', code: 'EIO', times: 1 }]),
  fault('the clock jumps ahead', [{ clockAheadMs: 13 * 60_000 }], 3000),
  fault('the clock jumps back', [{ clockAheadMs: -13 * 60_000 }], 3000),
]

export interface DisruptorOptions {
  readonly server: Server
  readonly isTakingWrites: () => Promise<boolean>
  readonly accuse: (what: string) => void
  readonly random: Random
  /** Between faults, in milliseconds. */
  readonly everyMs: number
  /** Between kills, in milliseconds: at least half of it, at most one and a half. */
  readonly killEveryMs: number
  /** From this moment on nothing is killed: the last life is the longest, and shows best what grows. */
  readonly lastKillAt: number
  readonly onLine: (line: string) => void
}

/** A store looks every 250 ms whether it failed, and opens again: on a busy machine that takes its time. */
const recoveryMsMax = 60_000
/** Answers that were on their way when the store took writes again. */
const settlingMs = 2000

/** How long to wait for somebody to run into a fault. */
const patienceMs = 8000

async function hitsOf(server: Server): Promise<number> {
  const { hits } = await server.report()
  return Object.values(hits).reduce((total, count) => total + count, 0)
}

export class Disruptor {
  readonly counts = new Map<string, number>()
  /** From the end of a fault to the next acknowledged write, in milliseconds. */
  readonly recoveries: number[] = []
  readonly #options: DisruptorOptions
  #roughUntil = 0
  #stopped = new AbortController()

  constructor(options: DisruptorOptions) {
    this.#options = options
  }

  /** Whether failures are no surprise just now. */
  get isRough(): boolean {
    return Date.now() < this.#roughUntil
  }

  async run(): Promise<void> {
    const { random, everyMs, killEveryMs, lastKillAt } = this.#options
    const nextKill = () => Date.now() + killEveryMs * (0.5 + random.next())
    // The shortest of runs has a kill, too.
    let killAt = 0
    let next = 0
    while (await this.#pause(everyMs * (0.5 + random.next()))) {
      if (Date.now() >= killAt && Date.now() < lastKillAt) {
        await this.#kill()
        killAt = nextKill()
      } else await this.#disrupt(disruptions[next++ % disruptions.length] as Disruption)
    }
    if (this.isRough) await delay(Math.max(0, this.#roughUntil - Date.now()))
  }

  stop(): void {
    this.#stopped.abort()
  }

  async #disrupt({ name, orders, lastsMs }: Disruption): Promise<void> {
    const { server } = this.#options
    this.#note(name)
    this.#roughUntil = Number.POSITIVE_INFINITY
    const before = await hitsOf(server)
    for (const order of orders) server.order(order)
    const began = Date.now()
    do await delay(lastsMs)
    while (
      orders.some((order) => 'fail' in order) &&
      (await hitsOf(server)) === before &&
      Date.now() - began < patienceMs
    )
    server.order({ heal: true })
    server.order({ clockAheadMs: 0 })
    await this.#recovered(name)
  }

  /** Waits until writes are taken again. */
  async #recovered(name: string): Promise<void> {
    const began = Date.now()
    // A failure shows up to 250 ms late.
    await delay(300)
    while (!(await this.#options.isTakingWrites()) && Date.now() - began < recoveryMsMax) await delay(50)
    const ms = Date.now() - began
    if (ms >= recoveryMsMax) this.#options.accuse(`${name}: no write was taken for ${ms} ms`)
    this.recoveries.push(ms)
    this.#roughUntil = Date.now() + settlingMs
  }

  async #kill(): Promise<void> {
    const { server, random } = this.#options
    this.#note('kill -9')
    this.#roughUntil = Number.POSITIVE_INFINITY
    await server.end('SIGKILL')
    await delay(random.between(0, 300))
    await server.start()
    await this.#recovered('kill -9')
  }

  #note(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
    this.#options.onLine(`fault: ${name}`)
  }

  /** False when it is over. */
  async #pause(ms: number): Promise<boolean> {
    await delay(ms, undefined, { signal: this.#stopped.signal }).catch(() => undefined)
    return !this.#stopped.signal.aborted
  }
}
