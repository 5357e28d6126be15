/** A worker as the owner of the store sees it: a child process, a session with it, and what is to be tidied up when it ends. */
import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { discardUnfinishedBlobs } from '@varve/adapters'
import type { OwnedLog } from '@varve/core'
import type { RequestLog } from '@varve/http'
import type { FromWorker, ToWorker, WorkerSettings } from './control-messages.ts'
import { OwnerLink } from './owner-link.ts'
import { errorOf } from './plain-error.ts'

/** Beyond the grace, for a worker to report its end. */
const lastMs = 3000

export interface WorkerEnd {
  readonly pid: number | undefined
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export class WorkerProcess {
  /** Rejects when it ends before it was ready, with its output. */
  readonly ready: Promise<void>
  /** Resolves when it is dead and all it held is let go. */
  readonly ended: Promise<WorkerEnd>
  readonly #child: ChildProcess
  readonly #dir: string
  readonly #link: OwnerLink
  /** Given, and not yet taken. */
  readonly #given = new Map<number, Socket>()
  #lastGiven = 0

  constructor(settings: WorkerSettings, owner: OwnedLog, number: number, onRequest: (entry: RequestLog) => void) {
    const child = fork(fileURLToPath(new URL('worker-main.js', import.meta.url)), [], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc', 'pipe'],
    })
    // What cannot be sent to it, or done to it, is heard of when it ends.
    child.on('error', () => undefined)
    this.#child = child
    this.#dir = settings.dir
    this.#link = new OwnerLink(child.stdio[4] as Duplex, owner, number)
    const closed = new Promise<WorkerEnd>((resolve) => {
      child.once('close', (code, signal) => resolve({ pid: child.pid, code, signal }))
    })
    this.ready = new Promise((resolve, reject) => {
      child.on('message', (message: FromWorker) => {
        switch (message.kind) {
          case 'ready':
            return resolve()
          case 'taken':
            return this.#taken(message.id)
          case 'refused':
            return reject(errorOf(message.error))
          case 'request':
            return onRequest({ ...message.entry, ...(message.error && { error: errorOf(message.error) }) })
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

  /** Goes on with a store that was opened again. */
  renew(owner: OwnedLog, number: number): void {
    this.#link.renew(owner, number)
  }

  sendState(): void {
    this.#link.sendState()
  }

  /** False when it cannot be reached. */
  give(connection: Socket): boolean {
    const id = ++this.#lastGiven
    if (!this.#send({ kind: 'connection', id }, connection)) return false
    this.#given.set(id, connection)
    return true
  }

  /** How many it was given and has not taken. */
  get backlog(): number {
    return this.#given.size
  }

  /** Those that it was given and never took: after its end, they are for another. */
  takeBack(): readonly Socket[] {
    const untaken = [...this.#given.values()]
    this.#given.clear()
    return untaken
  }

  /** Lets it finish what is under way, and ends it when it takes longer. Resolves when it has ended. */
  async stop(graceMs: number): Promise<void> {
    this.#send({ kind: 'stop', graceMs })
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), graceMs + lastMs)
    await this.ended
    clearTimeout(timer)
  }

  #send(message: ToWorker, connection?: Socket): boolean {
    if (!this.#child.connected) return false
    // Kept open here: Node would forget those that a dying process has not taken.
    this.#child.send(message, connection, { keepOpen: true }, () => undefined)
    return true
  }

  /** What is closed here is only our own copy. */
  #taken(id: number): void {
    this.#given.get(id)?.destroy()
    this.#given.delete(id)
  }

  async #letGo(): Promise<void> {
    try {
      await discardUnfinishedBlobs(this.#dir, await this.#link.end())
    } catch {
      // What stays behind is found when the store is opened again.
    }
  }
}
