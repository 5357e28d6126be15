/** The body of a Node request: sends `100 Continue`, checks the speed, counts the bytes. */

import type { IncomingMessage } from 'node:http'
import { setImmediate as immediate } from 'node:timers/promises'
import { onePieceMax } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import { stepsOfReceived } from '../turns/steps-of-bytes.ts'
import { turn } from '../turns/turn.ts'
import { GatheredChunks } from './gathered-chunks.ts'
import { SpeedWatch } from './minimum-speed.ts'
import type { MinimumSpeed } from './minimum-speed.ts'

export interface NodeBody {
  /**
   * Can be read once. Bytes that have arrived are available without a wait: a short body mostly arrives with its
   * headers. Each chunk is valid until the next one is requested. Ending the iteration early does not destroy the
   * request, since that would destroy the socket and with it the answer.
   */
  readonly source: AsyncIterable<Uint8Array>
  /** Bytes read so far, without the framing of HTTP. */
  readonly received: number
  /** Bytes still to be read; `Infinity` when unknown. */
  readonly unread: number
}

export interface NodeBodyOptions {
  readonly minimumSpeed: MinimumSpeed
  /** The client whose turns reading takes. */
  readonly turnsOf: string
  /** Called before the first byte is read. */
  readonly onFirstRead: () => void
}

export const nodeBody = (request: IncomingMessage, options: NodeBodyOptions): NodeBody =>
  new RequestBytes(request, options)

const done = { done: true, value: undefined } as const

class RequestBytes implements NodeBody, AsyncIterableIterator<Uint8Array, undefined> {
  received = 0
  readonly #request: IncomingMessage
  readonly #turnsOf: string
  readonly #onFirstRead: () => void
  readonly #speed: SpeedWatch
  #state: 'new' | 'reading' | 'over' = 'new'
  #isHeard = false
  #wake: (() => void) | undefined
  readonly #isShort: boolean
  #gathered: GatheredChunks | undefined

  constructor(request: IncomingMessage, { minimumSpeed, turnsOf, onFirstRead }: NodeBodyOptions) {
    this.#turnsOf = turnsOf
    this.#request = request
    this.#onFirstRead = onFirstRead
    this.#speed = new SpeedWatch(minimumSpeed)
    this.#isShort = Number(request.headers['content-length'] ?? 0) <= onePieceMax
  }

  get source(): this {
    return this
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  get unread(): number {
    const { 'content-length': length, 'transfer-encoding': encoding } = this.#request.headers
    if (this.#isRead() || (length === undefined && encoding === undefined)) return 0
    return encoding === undefined ? Number(length) - this.received : Number.POSITIVE_INFINITY
  }

  /** @throws S3Error `RequestTimeout`, or `IncompleteBody` when the client is gone. */
  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#state === 'over') return done
    if (this.#state === 'new') this.#onFirstRead()
    else if (this.#isShort && this.#isRead()) return this.#end(true)
    this.#state = 'reading'
    if (turn.isOver) await turn.next(this.#turnsOf)
    try {
      const value = this.#isShort ? (this.#take() ?? (await this.#waitForMore())) : await this.#gather()
      return value === undefined ? this.#end(true) : { done: false, value }
    } catch (error) {
      this.#end()
      throw error
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    return this.#end()
  }

  #count(bytes: number): void {
    this.received += bytes
    turn.spend(stepsOfReceived(bytes))
    this.#speed.received(bytes)
  }

  #take(): Uint8Array | undefined {
    const chunk: Uint8Array | null = this.#request.read()
    if (chunk === null) return undefined
    this.#count(chunk.length)
    return chunk
  }

  /** `undefined` at the end. */
  async #waitForMore(): Promise<Uint8Array | undefined> {
    while (!this.#isRead()) {
      if (this.#request.destroyed) throw cutOff(this.#request.errored)
      await this.#speed.wait(this.#moved())
      const chunk = this.#take()
      if (chunk !== undefined) return chunk
    }
    return undefined
  }

  /** `undefined` at the end. */
  async #gather(): Promise<Uint8Array | undefined> {
    const gathered = (this.#gathered ??= new GatheredChunks(this.#request, {
      onChunk: (bytes) => {
        this.#count(bytes)
        this.#onMove()
      },
    }))
    gathered.begin()
    while (gathered.isEmpty && !this.#isRead()) {
      if (this.#request.destroyed) throw cutOff(this.#request.errored)
      await this.#speed.wait(this.#moved())
    }
    // Until then, what the system has received with the first chunk arrives too.
    if (!gathered.isFull && !this.#isRead()) await immediate()
    return gathered.take()
  }

  #isRead(): boolean {
    return this.#request.complete && this.#request.readableLength === 0
  }

  #moved(): Promise<void> {
    if (!this.#isHeard) for (const event of this.#events) this.#request.on(event, this.#onMove)
    this.#isHeard = true
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  readonly #onMove = (): void => this.#wake?.()

  /** A listener of `'readable'` would stop the flow of chunks that are gathered. */
  get #events(): readonly string[] {
    return this.#isShort ? ['readable', ...endings] : endings
  }

  /** @param isFree The consumer is finished with the last chunk. */
  #end(isFree = false): typeof done {
    if (this.#isHeard) for (const event of this.#events) this.#request.off(event, this.#onMove)
    this.#gathered?.end(isFree)
    this.#isHeard = false
    this.#state = 'over'
    return done
  }
}

const endings = ['end', 'error', 'close'] as const

function cutOff(cause: unknown): S3Error {
  return new S3Error('IncompleteBody', 'The request body terminated unexpectedly', { cause })
}
