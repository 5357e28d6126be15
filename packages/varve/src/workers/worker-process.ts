/** A worker from the owner's side: a child process, a session with it, and the cleanup when it ends. */
import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { discardUnfinishedBlobs } from '@varve/adapters'
import type { OwnedLog } from '@varve/core'
import type { LoggedAccess, RequestLog } from '@varve/http'
import type { FromWorker, LogName, ToWorker, WorkerChanges, WorkerSettings } from './control-messages.ts'
import { OwnerLink } from './owner-link.ts'
import type { Metrics } from '../metrics.ts'
import { errorOf, plainError } from './plain-error.ts'

/** How long a worker may take, after the grace, to report its end, in milliseconds. */
const lastMs = 3000
/** How long a worker may take to use a change, in milliseconds. After that it is ended, so it decides nothing by what was before. */
const changeMs = 5000

export interface WorkerEnd {
  readonly pid: number | undefined
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

type Observed = Extract<FromWorker, { readonly kind: 'observed' }>

/** Who is told what a worker reports. */
export interface WorkerListener {
  readonly onRequest: (entry: RequestLog) => void
  /** The number of connections of a worker is another one. */
  readonly onConnections: () => void
  readonly onAccess: (access: LoggedAccess) => void
  readonly onLines: (log: LogName, lines: string) => void
  readonly metrics?: Pick<Metrics, 'text' | 'observer'> | undefined
}

export class WorkerProcess {
  /** Rejects with the output of the worker if it ends before it is ready. */
  readonly ready: Promise<void>
  /** Resolves when the worker has died and everything that it held is released. */
  readonly ended: Promise<WorkerEnd>
  readonly #child: ChildProcess
  readonly #dir: string
  readonly #link: OwnerLink
  #connections = 0
  /** Connections that were given to the worker and that it has not taken yet. */
  readonly #given = new Map<number, Socket>()
  #lastGiven = 0
  readonly #closed: Promise<WorkerEnd>
  /** Changes that were sent, and the last one that the worker uses. */
  #lastChange = 0
  #changed = 0
  readonly #onChanged = new Set<() => void>()

  constructor(settings: WorkerSettings, owner: OwnedLog, number: number, listener: WorkerListener) {
    const child = fork(fileURLToPath(new URL('worker-main.js', import.meta.url)), [], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc', 'pipe'],
    })
    // Errors of sending to the process, or of ending it, show when it ends.
    child.on('error', () => undefined)
    this.#child = child
    this.#dir = settings.dir
    this.#link = new OwnerLink(child.stdio[4] as Duplex, owner, number, {
      onStalled: () => child.kill('SIGKILL'),
    })
    const closed = new Promise<WorkerEnd>((resolve) => {
      child.once('close', (code, signal) => resolve({ pid: child.pid, code, signal }))
    })
    this.#closed = closed
    this.ready = new Promise((resolve, reject) => {
      child.on('message', (message: FromWorker) => {
        switch (message.kind) {
          case 'ready':
            return resolve()
          case 'taken':
            return this.#taken(message.id)
          case 'changed':
            this.#changed = message.id
            return this.#onChanged.forEach((look) => look())
          case 'refused':
            return reject(errorOf(message.error))
          case 'request':
            return listener.onRequest({ ...message.entry, ...(message.error && { error: errorOf(message.error) }) })
          case 'observed':
            return this.#observed(message, listener)
          case 'lines':
            return listener.onLines(message.log, message.lines)
          case 'accesses':
            return message.accesses.forEach(listener.onAccess)
          case 'metrics':
            return void this.#sendMetrics(message.id, listener)
          case 'done':
        }
      })
      void closed.then(({ code, signal }) =>
        reject(new Error(`A worker ended before it was ready (${signal ?? code}).`)),
      )
    })
    this.ready.catch(() => undefined)
    this.ended = closed.then(async (end) => {
      await this.#letGo()
      return end
    })
    this.#send({ kind: 'start', settings })
  }

  /** Continues with a store that was opened again. */
  renew(owner: OwnedLog, number: number): void {
    this.#link.renew(owner, number)
  }

  sendState(): void {
    this.#link.sendState()
  }

  change(changes: WorkerChanges): void {
    this.#send({ kind: 'change', id: ++this.#lastChange, changes })
  }

  /** Resolves when the worker uses all changes that were sent. One that does not in time is ended first. Never rejects. */
  async useChanges(): Promise<void> {
    const last = this.#lastChange
    let look: () => void = () => undefined
    const used = new Promise<void>((resolve) => {
      look = () => void (this.#changed >= last && resolve())
    })
    this.#onChanged.add(look)
    look()
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), changeMs)
    await Promise.race([used, this.#closed])
    clearTimeout(timer)
    this.#onChanged.delete(look)
  }

  /** How many connections the worker had when it last reported. */
  get connections(): number {
    return this.#connections
  }

  /** Gives a connection to the worker. Returns false when the worker cannot be reached. */
  give(connection: Socket): boolean {
    const id = ++this.#lastGiven
    if (!this.#send({ kind: 'connection', id }, connection)) return false
    this.#given.set(id, connection)
    return true
  }

  /** How many connections the worker was given and has not taken. */
  get backlog(): number {
    return this.#given.size
  }

  /** Returns the connections that the worker never took. After its end, another worker can get them. */
  takeBack(): readonly Socket[] {
    const untaken = [...this.#given.values()]
    this.#given.clear()
    return untaken
  }

  /** Lets the worker finish requests in progress, and ends it when it takes longer. Resolves when it has ended. */
  async stop(graceMs: number): Promise<void> {
    this.#send({ kind: 'stop', graceMs })
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), graceMs + lastMs)
    await this.ended
    clearTimeout(timer)
  }

  /** What the worker has measured, for the observer of the owner. */
  #observed({ requests, turns, connections }: Observed, { metrics, onConnections }: WorkerListener): void {
    for (const request of requests) metrics?.observer.request?.(request)
    metrics?.observer.queue?.({ name: 'turns', depth: turns })
    this.#connections = connections
    onConnections()
  }

  async #sendMetrics(id: number, { metrics }: WorkerListener): Promise<void> {
    try {
      this.#send({ kind: 'metrics', id, text: (await metrics?.text()) ?? '' })
    } catch (error) {
      this.#send({ kind: 'metrics', id, error: plainError(error) })
    }
  }

  #send(message: ToWorker, connection?: Socket): boolean {
    if (!this.#child.connected) return false
    // The owner keeps its copy open: Node would lose connections that a dying process has not taken.
    this.#child.send(message, connection, { keepOpen: true }, () => undefined)
    return true
  }

  /** Closes only the owner's copy of the connection. */
  #taken(id: number): void {
    this.#given.get(id)?.destroy()
    this.#given.delete(id)
  }

  async #letGo(): Promise<void> {
    try {
      await discardUnfinishedBlobs(this.#dir, await this.#link.end())
    } catch {
      // Remaining blobs are found when the store is opened again.
    }
  }
}
