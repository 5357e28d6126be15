/**
 * Moves the store of a server to other addresses while it answers requests, and goes on serving it from there: writes wait
 * for the end of the move, and reads that have begun end where they are.
 */
import { nodeHashing, randomIds } from '@varve/adapters'
import {
  handOver,
  isAtRest,
  isStorageError,
  type LogMoved,
  moveLog,
  type MoveSource,
  type MoveTarget,
  openedParts,
  StorageError,
  type Store,
} from '@varve/core'
import type { MoveStatus, StoreMover } from '@varve/http'
import { rest } from '../../jobs/rest.ts'
import type { Place } from '../../moving/place.ts'
import { jobsOf } from '../../store/jobs-of.ts'
import { errorText } from '../support/report-error.ts'
import type { Opening, RecoveringStore } from './recovering-store.ts'

/** Where the store goes, and how it is opened there. */
export interface Destination {
  readonly place: Place
  /** `moved`: the end of the log, which this process has just copied and checked. */
  openingAfter(moved: LogMoved): Opening<Store>
}

export interface ServedMoveOptions {
  readonly kept: Pick<RecoveringStore<Store>, 'current' | 'follow' | 'withoutRecovery' | 'replace'>
  /** Without secrets. */
  readonly from: string
  /** @throws StorageError `InvalidArgument` for no addresses, `InvalidRequest` if the store cannot go there */
  destinationOf(to: string): Promise<Destination>
  /** Brings what is not in the log. The store commits nothing meanwhile. */
  bringRest?(target: MoveTarget): Promise<void>
  onMoved?(status: MoveStatus): void
  onFailed?(error: unknown): void
}

const atRestEveryMs = 1000
/** So often in a row: a request may read several times, and rest in between. */
const atRestMost = 5

export class ServedMove implements StoreMover {
  readonly #options: ServedMoveOptions
  #status: MoveStatus | undefined
  #running: { readonly done: Promise<void>; readonly end: AbortController } | undefined
  readonly #closing = new AbortController()
  #leaving: Promise<void> | undefined

  constructor(options: ServedMoveOptions) {
    this.#options = options
  }

  status(): MoveStatus | undefined {
    return this.#status
  }

  async begin(to: string): Promise<MoveStatus> {
    if (this.#status?.state === 'moved') throw refused(`The store was moved to ${this.#status.to} already.`)
    const destination = await this.#options.destinationOf(to)
    const { name } = destination.place
    if (this.#running !== undefined) {
      if (this.#status?.to === name) return this.#status
      throw refused(`The store is being moved to ${this.#status?.to}: stop that first.`)
    }
    const status: MoveStatus = {
      state: 'copying',
      from: this.#options.from,
      to: name,
      done: 0,
      total: 0,
      events: 0,
      blobs: 0,
      bytes: 0,
    }
    this.#status = status
    const end = new AbortController()
    const done = this.#run(destination, AbortSignal.any([end.signal, this.#closing.signal])).finally(() => {
      this.#running = undefined
    })
    this.#running = { done, end }
    return status
  }

  async stop(): Promise<MoveStatus | undefined> {
    this.#running?.end.abort(stopped())
    await this.#running?.done
    return this.#status
  }

  /** Stops a move, and closes the store that was left. */
  async close(): Promise<void> {
    this.#closing.abort(stopped())
    await this.#running?.done
    await this.#leaving
  }

  #show(status: Partial<MoveStatus>): void {
    if (this.#status !== undefined) this.#status = { ...this.#status, ...status }
  }

  /** Never rejects. */
  async #run(destination: Destination, signal: AbortSignal): Promise<void> {
    const { onMoved, onFailed } = this.#options
    const ending: Ending = { since: 0, pauseMs: 0 }
    try {
      const { events, blobs, bytes } = await this.#move(destination, ending, signal)
      const { head, hashes } = ending.departed as LogMoved
      this.#show({ state: 'moved', events, blobs, bytes, head, hashes, pauseMs: Math.round(ending.pauseMs) })
      if (this.#status !== undefined) onMoved?.(this.#status)
    } catch (error) {
      const failure = { code: isStorageError(error) ? error.code : 'InternalError', message: errorText(error) }
      if (ending.departed !== undefined) {
        const { head, hashes } = ending.departed
        this.#show({ state: 'moved', head, hashes, error: failure })
        this.#onceOpen(ending)
      } else if (signal.aborted) this.#show({ state: 'stopped' })
      else this.#show({ state: 'failed', error: failure })
      if (!signal.aborted) onFailed?.(error)
    }
  }

  /** The store is in the other place, and is opened there as soon as it can be. */
  #onceOpen({ since }: Ending): void {
    const { kept, onMoved } = this.#options
    const look = (): void => {
      if (kept.current.state !== 'open') return
      unfollow()
      this.#show({ error: undefined, pauseMs: Math.round(performance.now() - since) })
      if (this.#status !== undefined) onMoved?.(this.#status)
    }
    const unfollow = kept.follow(look)
    look()
  }

  async #move({ place, openingAfter }: Destination, ending: Ending, signal: AbortSignal): Promise<LogMoved> {
    const { kept, from } = this.#options
    const store = kept.current
    const target = await place.openTarget()
    try {
      const fence: NonNullable<MoveSource['fence']> = (end) =>
        kept.withoutRecovery(() => this.#end({ store, target, openingAfter, ending }, end))
      return await moveLog({
        from: { name: from, ...openedParts(store), fence },
        into: target,
        hashing: await nodeHashing(),
        ids: randomIds,
        signal,
        onProgress: ({ done, total }) => this.#show({ state: 'copying', done, total }),
        onCheck: ({ done, total }) => this.#show({ state: 'checking', done, total }),
        onMoving: (moved) => void (ending.moving = moved),
        onDeparted: () => void (ending.departed = ending.moving),
      })
    } finally {
      await target.close().catch(() => undefined)
    }
  }

  async #end({ store, target, openingAfter, ending }: Leaving, end: () => Promise<boolean>): Promise<boolean> {
    const { kept, bringRest } = this.#options
    if (kept.current !== store || store.state !== 'open')
      throw refused('The store had to be opened again meanwhile: go on with the move.')
    const before = this.#status
    try {
      await handOver(store, async () => {
        ending.since = performance.now()
        this.#show({ state: 'switching' })
        await bringRest?.(target)
        if (!(await end())) throw new PutOff()
        const opening = openingAfter(ending.departed as LogMoved)
        const next = await opening.open()
        kept.replace(opening, next)
        return next
      })
    } catch (error) {
      if (error instanceof PutOff) return false
      if (ending.departed !== undefined) {
        kept.replace(openingAfter(ending.departed))
        store.owner.fail(error)
      } else if (before !== undefined) this.#status = before
      throw error
    }
    ending.pauseMs = performance.now() - ending.since
    this.#leaving = this.#leave(store)
    return true
  }

  /** Closes the store when nothing is read from it or received for it any more. Bodies that stall end by themselves. */
  async #leave(store: Store): Promise<void> {
    const { signal } = this.#closing
    // Its jobs and those that follow its log have nothing more to do here.
    void jobsOf(store)?.stop()
    for (let times = 0; times < atRestMost && !signal.aborted; times = isAtRest(store) ? times + 1 : 0)
      await rest(atRestEveryMs, signal)
    await store.close().catch(() => undefined)
  }
}

/** How the end of a move went. */
interface Ending {
  moving?: LogMoved
  /** Set once the store is in the other place. */
  departed?: LogMoved | undefined
  /** When writes began to wait, and for how long. */
  since: number
  pauseMs: number
}

interface Leaving extends Pick<Destination, 'openingAfter'> {
  readonly store: Store
  readonly target: MoveTarget
  readonly ending: Ending
}

/** The end of the move is tried again later. */
class PutOff extends Error {}

const refused = (message: string): StorageError => new StorageError('InvalidRequest', message)
const stopped = (): StorageError => new StorageError('StoreClosed', 'The move was stopped.')
