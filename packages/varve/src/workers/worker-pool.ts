/** The workers of a store: as many as there should be, each replaced when it dies, and connections handed round among them. */
import type { Socket } from 'node:net'
import type { OwnedLog } from '@varve/core'
import type { RequestLog } from '@varve/http'
import type { WorkerSettings } from './control-messages.ts'
import { type WorkerEnd, WorkerProcess } from './worker-process.ts'

/** One that dies younger is replaced later each time. */
const youngMs = 3000
const pauseMinMs = 250
const pauseMaxMs = 30_000

export interface WorkerPoolOptions {
  readonly settings: WorkerSettings
  /** Of the store that is open now. */
  readonly owner: () => OwnedLog
  /** Connections that may be held here: for each worker while it does not take them, and while none is ready. */
  readonly waitingMax: number
  readonly onRequest: (entry: RequestLog) => void
  /** One died, and another takes its place after so many milliseconds. */
  readonly onLoss: (end: WorkerEnd, pauseMs: number) => void
}

export class WorkerPool {
  readonly #options: WorkerPoolOptions
  readonly #workers = new Set<WorkerProcess>()
  readonly #ready: WorkerProcess[] = []
  /** Taken while no worker was ready. */
  readonly #waiting: Socket[] = []
  readonly #pauses = new Set<NodeJS.Timeout>()
  #owner: OwnedLog
  #session = 1
  #turn = 0
  #closing: Promise<void> | undefined

  constructor(options: WorkerPoolOptions) {
    this.#options = options
    this.#owner = options.owner()
  }

  /** Resolves when all are ready. @throws what keeps one of them from it; the others are ended. */
  async start(): Promise<void> {
    const all = Array.from({ length: this.#options.settings.workers }, () => this.#hire(0))
    try {
      await Promise.all(all.map(({ ready }) => ready))
    } catch (error) {
      await this.close(0)
      throw error
    }
  }

  /** To each worker in turn; waits while there is none. */
  take(connection: Socket): void {
    if (this.#closing !== undefined) return void connection.destroy()
    const { waitingMax } = this.#options
    let full = this.#waiting.length >= waitingMax
    for (let tries = this.#ready.length; tries > 0; tries--) {
      this.#turn = (this.#turn + 1) % this.#ready.length
      const worker = this.#ready[this.#turn] as WorkerProcess
      if (worker.backlog >= waitingMax) full = true
      else if (worker.give(connection)) return
    }
    if (full) connection.destroy()
    else this.#waiting.push(connection)
  }

  /** The store failed, or was opened again: all go on with what is there now. */
  followStore(): void {
    const owner = this.#options.owner()
    if (owner === this.#owner) {
      for (const worker of this.#workers) worker.sendState()
      return
    }
    this.#owner = owner
    this.#session++
    for (const worker of this.#workers) worker.renew(owner, this.#session)
  }

  /** Lets all finish what is under way. Resolves when none is left. Idempotent. */
  close(graceMs: number): Promise<void> {
    return (this.#closing ??= this.#close(graceMs))
  }

  async #close(graceMs: number): Promise<void> {
    for (const pause of this.#pauses) clearTimeout(pause)
    for (const connection of this.#waiting.splice(0)) connection.destroy()
    await Promise.all([...this.#workers].map((worker) => worker.stop(graceMs)))
  }

  /** `pauseMs` is how long the one whose place it takes was waited for. */
  #hire(pauseMs: number): WorkerProcess {
    const { settings, onRequest } = this.#options
    const worker = new WorkerProcess(settings, this.#owner, this.#session, onRequest)
    const hiredAt = performance.now()
    this.#workers.add(worker)
    void worker.ready.then(() => this.#admit(worker)).catch(() => undefined)
    void worker.ended.then((end) => this.#replace(worker, end, performance.now() - hiredAt, pauseMs))
    return worker
  }

  #admit(worker: WorkerProcess): void {
    this.#ready.push(worker)
    for (const connection of this.#waiting.splice(0)) this.take(connection)
  }

  #replace(worker: WorkerProcess, end: WorkerEnd, ageMs: number, lastPauseMs: number): void {
    this.#workers.delete(worker)
    const place = this.#ready.indexOf(worker)
    if (place !== -1) this.#ready.splice(place, 1)
    for (const connection of worker.takeBack()) this.take(connection)
    if (this.#closing !== undefined) return
    const pauseMs = ageMs >= youngMs ? 0 : Math.min(Math.max(lastPauseMs * 2, pauseMinMs), pauseMaxMs)
    this.#options.onLoss(end, pauseMs)
    this.#hireAfter(pauseMs)
  }

  #hireAfter(pauseMs: number): void {
    const pause = setTimeout(() => {
      this.#pauses.delete(pause)
      try {
        this.#hire(pauseMs)
      } catch {
        // No process to be had, or no file for its pipes.
        this.#hireAfter(pauseMaxMs)
      }
    }, pauseMs)
    this.#pauses.add(pause)
  }
}
