/** The workers of a store. The pool replaces each worker that dies, and distributes connections among the workers. */
import type { Socket } from 'node:net'
import type { OwnedLog } from '@varve/core'
import type { WorkerChanges, WorkerSettings } from './control-messages.ts'
import { type WorkerEnd, type WorkerListener, WorkerProcess } from './worker-process.ts'

/** After a worker that dies younger than this, the pause before its replacement grows. */
const youngMs = 3000
const pauseMinMs = 250
const pauseMaxMs = 30_000

export interface WorkerPoolOptions extends Omit<WorkerListener, 'onConnections'> {
  readonly settings: WorkerSettings
  /** Returns the owner of the store that is open now. */
  readonly owner: () => OwnedLog
  /** How many connections may wait here: for each worker until it takes them, and while no worker is ready. */
  readonly waitingMax: number
  /** Called when a worker died; another one starts after this many milliseconds. */
  readonly onLoss: (end: WorkerEnd, pauseMs: number) => void
}

export class WorkerPool {
  readonly #options: WorkerPoolOptions
  readonly #workers = new Set<WorkerProcess>()
  readonly #ready: WorkerProcess[] = []
  /** Connections that arrived while no worker was ready. */
  readonly #waiting: Socket[] = []
  readonly #pauses = new Set<NodeJS.Timeout>()
  #owner: OwnedLog
  #session = 1
  #turn = 0
  #changes: WorkerChanges = {}
  #closing: Promise<void> | undefined

  constructor(options: WorkerPoolOptions) {
    this.#options = options
    this.#owner = options.owner()
  }

  /** Resolves when all workers are ready. @throws the error of a worker that cannot start; the others are ended. */
  async start(): Promise<void> {
    const all = Array.from({ length: this.#options.settings.workers }, () => this.#hire(0))
    try {
      await Promise.all(all.map(({ ready }) => ready))
    } catch (error) {
      await this.close(0)
      throw error
    }
  }

  /** Gives the connection to the workers in turn. It waits while no worker is ready. */
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

  /** Call this when the store failed or was opened again: all workers get the new state. */
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

  /**
   * Every worker uses these, and those that start later too. Resolves when each one that has connections uses them, or has ended.
   * The others get their first connection after the change, on the same channel.
   */
  async change(changes: WorkerChanges): Promise<void> {
    this.#changes = { ...this.#changes, ...changes }
    for (const worker of this.#workers) worker.change(changes)
    await Promise.all(this.#ready.map((worker) => worker.useChanges()))
  }

  /** Lets all workers finish requests in progress. Resolves when all have ended. Idempotent. */
  close(graceMs: number): Promise<void> {
    return (this.#closing ??= this.#close(graceMs))
  }

  async #close(graceMs: number): Promise<void> {
    for (const pause of this.#pauses) clearTimeout(pause)
    for (const connection of this.#waiting.splice(0)) connection.destroy()
    await Promise.all([...this.#workers].map((worker) => worker.stop(graceMs)))
  }

  /** Starts a worker. `pauseMs` is the pause before this start. */
  #hire(pauseMs: number): WorkerProcess {
    const { settings } = this.#options
    const current = { ...settings, ...this.#changes }
    const worker = new WorkerProcess(current, this.#owner, this.#session, {
      ...this.#options,
      onConnections: () => this.#countConnections(),
    })
    const hiredAt = performance.now()
    this.#workers.add(worker)
    void worker.ready.then(() => this.#admit(worker)).catch(() => undefined)
    void worker.ended.then((end) => this.#replace(worker, end, performance.now() - hiredAt, pauseMs))
    return worker
  }

  #countConnections(): void {
    const open = [...this.#workers].reduce((sum, { connections }) => sum + connections, 0)
    this.#options.metrics?.observer.connections?.({ open })
  }

  #admit(worker: WorkerProcess): void {
    this.#ready.push(worker)
    for (const connection of this.#waiting.splice(0)) this.take(connection)
  }

  #replace(worker: WorkerProcess, end: WorkerEnd, ageMs: number, lastPauseMs: number): void {
    this.#workers.delete(worker)
    this.#countConnections()
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
        // The system has no process left, or no file for its pipes.
        this.#hireAfter(pauseMaxMs)
      }
    }, pauseMs)
    this.#pauses.add(pause)
  }
}
