/**
 * Gathers the chunks of a long body that arrive together in one buffer. Everything that handles a body costs some microseconds for
 * each of its chunks, and the system gives them in pieces of at most 64 KiB. A client that sends nothing has no buffer.
 */

import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { freeChunk, giveBuffer, takeBuffer } from './body-buffers.ts'

export interface GatheringOptions {
  /** Called with the number of bytes of each chunk that arrives. */
  readonly onChunk: (bytes: number) => void
}

export class GatheredChunks {
  readonly #request: IncomingMessage
  readonly #options: GatheringOptions
  #buffer: Uint8Array | undefined
  #filled = 0
  /** A chunk that did not fit in the buffer, and the bytes of it that were taken. */
  #rest: { readonly chunk: Uint8Array; readonly taken: number } | undefined
  #isOver = false

  constructor(request: IncomingMessage, options: GatheringOptions) {
    this.#request = request
    this.#options = options
    request.on('data', this.#onData)
  }

  get isEmpty(): boolean {
    return this.#filled === 0
  }

  get isFull(): boolean {
    return this.#filled === this.#buffer?.length
  }

  /** Gives the buffer back and lets chunks arrive. */
  begin(): void {
    this.#giveBack(true)
    const rest = this.#rest
    this.#rest = undefined
    if (rest !== undefined) this.#fill(rest.chunk, rest.taken)
    if (!this.isFull) this.#request.resume()
  }

  /** The bytes that are gathered; they are valid until `begin`. `undefined` if there are none. */
  take(): Uint8Array | undefined {
    this.#request.pause()
    return this.isEmpty ? undefined : this.#buffer?.subarray(0, this.#filled)
  }

  /** @param isFree Nothing reads the gathered bytes any more. */
  end(isFree: boolean): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#request.off('data', this.#onData).pause()
    this.#giveBack(isFree)
  }

  #giveBack(isFree: boolean): void {
    if (this.#buffer !== undefined) giveBuffer(this.#buffer, isFree)
    this.#buffer = undefined
    this.#filled = 0
  }

  readonly #onData = (chunk: Uint8Array): void => {
    const bytes = chunk.length
    this.#fill(chunk)
    if (this.isFull) this.#request.pause()
    this.#options.onChunk(bytes)
  }

  #fill(chunk: Uint8Array, from = 0): void {
    const buffer = (this.#buffer ??= takeBuffer())
    const to = Math.min(chunk.length, from + buffer.length - this.#filled)
    buffer.set(from === 0 && to === chunk.length ? chunk : chunk.subarray(from, to), this.#filled)
    this.#filled += to - from
    if (to < chunk.length) this.#rest = { chunk, taken: to }
    else if (this.#ownsChunks()) freeChunk(chunk)
  }

  /** Node makes a chunk for the listeners of a request alone. Those of other sources may belong to a caller. */
  #ownsChunks(): boolean {
    return this.#request.socket instanceof Socket && this.#request.listenerCount('data') === 1
  }
}
