/** The server under test: started, killed, started again, made to fail, and observed. */
import { once } from 'node:events'
import type { TestService } from '../bounds/support/test-service.ts'
import { processorSecondsOf } from '../bounds/support/process-figures.ts'
import { type Served, serveStore } from '../bounds/support/served-store.ts'
import type { Order, Report } from './faults.ts'

const preload = new URL('./faults.js', import.meta.url).href

/**
 * malloc of glibc gives each thread an arena, and an arena keeps what it once held. LevelDB reads its log back into memory at each
 * opening, up to a write buffer of 16 MiB, on any of four threads: own memory climbs by that at openings until each has had its
 * turn, and would hide for a quarter of an hour what really grows. With one arena there is no such climb.
 */
const oneArena = { MALLOC_ARENA_MAX: '1' }

export class Server {
  readonly #directory: string
  readonly #service: TestService
  readonly #onLine: (line: string) => void
  #served: Served | undefined
  /** Processes there were, this one included. */
  lives = 0
  /** When the present one began, in milliseconds. */
  bornAt = 0
  /** Processor time of those that are no more, in seconds. */
  #spent = 0
  readonly #hits: Record<string, number> = {}
  #hitsNow: Readonly<Record<string, number>> = {}
  #reports = 0

  constructor(directory: string, service: TestService, onLine: (line: string) => void) {
    this.#directory = directory
    this.#service = service
    this.#onLine = onLine
  }

  async start(): Promise<void> {
    const served = await serveStore(this.#directory, {
      preload,
      environment: oneArena,
      onEvent: (kind) => this.#onLine(`server: ${kind}`),
    })
    served.process.on('error', () => undefined)
    this.#served = served
    this.#service.address = served
    this.lives++
    this.bornAt = Date.now()
  }

  get pid(): number {
    return this.#running.pid
  }

  get #running(): Served {
    if (this.#served === undefined) throw new Error('The server is not running.')
    return this.#served
  }

  get complaints(): string {
    return this.#running.complaints()
  }

  /** Seconds since the present process began. */
  get age(): number {
    return (Date.now() - this.bornAt) / 1000
  }

  order(order: Order): void {
    this.#running.process.send(order)
  }

  /** Ends it, and gives what it ended with. */
  async end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
    await this.report().catch(() => undefined)
    const running = this.#running
    this.#spent += await processorSecondsOf(running.pid)
    for (const [call, count] of Object.entries(this.#hitsNow)) this.#hits[call] = (this.#hits[call] ?? 0) + count
    this.#hitsNow = {}
    return running.stop(signal)
  }

  /** Failures that were really made, by call. */
  get hits(): Readonly<Record<string, number>> {
    const all = { ...this.#hits }
    for (const [call, count] of Object.entries(this.#hitsNow)) all[call] = (all[call] ?? 0) + count
    return all
  }

  /** @throws Error when it does not answer within 10 s */
  async report(): Promise<Report> {
    const report = ++this.#reports
    const { process } = this.#running
    const signal = AbortSignal.timeout(10_000)
    this.order({ report })
    for (;;) {
      const [message] = (await once(process, 'message', { signal })) as [Report]
      if (message.report !== report) continue
      this.#hitsNow = message.hits
      return message
    }
  }

  /** Processor time of all its lives, in seconds. */
  async processorSeconds(): Promise<number> {
    return this.#spent + (await processorSecondsOf(this.#running.pid))
  }
}
