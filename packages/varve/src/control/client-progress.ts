/** What a client of the control API has in progress, so that it can end it. */
import type { ClientRequest, IncomingMessage } from 'node:http'
import { StorageError } from '@varve/core'

export class ClientProgress {
  readonly #running = new Set<Promise<unknown>>()
  readonly #reading = new Set<IncomingMessage>()
  readonly #feeding = new Set<ClientRequest>()
  #isClosed = false

  /** @throws StorageError `StoreClosed` */
  assertOpen(): void {
    if (this.#isClosed) throw closed()
  }

  /** A request that the end waits for. */
  async during<T>(begin: () => Promise<T>): Promise<T> {
    const work = begin()
    this.#running.add(work)
    try {
      return await work
    } finally {
      this.#running.delete(work)
    }
  }

  /** An answer that the end cuts off, because its reader may be slow or wait for ever. */
  reading(answer: IncomingMessage): IncomingMessage {
    this.#reading.add(answer)
    // A reader gets the error. Without a reader, it would end the process.
    answer.on('error', () => undefined).once('close', () => this.#reading.delete(answer))
    return this.#isClosed ? answer.destroy(closed()) : answer
  }

  /** A request whose body is being sent. The end cuts it off, because its source may stall. */
  feeding(request: ClientRequest): ClientRequest {
    this.#feeding.add(request)
    for (const event of ['finish', 'close'] as const) request.once(event, () => this.#feeding.delete(request))
    return request
  }

  async end(): Promise<void> {
    this.#isClosed = true
    for (const request of this.#feeding) request.destroy(closed())
    for (const answer of this.#reading) answer.destroy(closed())
    await Promise.allSettled(this.#running)
  }
}

const closed = (): StorageError => new StorageError('StoreClosed', 'The attached store was closed.')
