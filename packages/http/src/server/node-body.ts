/** The body of a Node request: asked for with `100 Continue`, watched for its speed, counted. */

import type { IncomingMessage } from 'node:http'
import { S3Error } from '../errors.ts'
import { atLeast } from './minimum-speed.ts'
import type { MinimumSpeed } from './minimum-speed.ts'

export interface NodeBody {
  /** Can be read once. */
  readonly source: AsyncIterable<Uint8Array>
  /** Bytes taken from it so far, framing of HTTP not counted. */
  readonly received: number
  /** Bytes that will still come if they are waited for; `Infinity` when nobody knows. */
  readonly unread: number
}

export interface NodeBodyOptions {
  readonly minimumSpeed: MinimumSpeed
  /** Called before the first byte is read. */
  readonly onFirstRead: () => void
}

export const nodeBody = (request: IncomingMessage, options: NodeBodyOptions): NodeBody =>
  new RequestBytes(request, options)

class RequestBytes implements NodeBody {
  readonly source: AsyncIterable<Uint8Array>
  received = 0
  readonly #request: IncomingMessage

  constructor(request: IncomingMessage, options: NodeBodyOptions) {
    this.#request = request
    this.source = this.#read(options)
  }

  get unread(): number {
    const { 'content-length': length, 'transfer-encoding': encoding } = this.#request.headers
    if (this.#request.readableEnded || (length === undefined && encoding === undefined)) return 0
    return encoding === undefined ? Number(length) - this.received : Number.POSITIVE_INFINITY
  }

  async *#read({ minimumSpeed, onFirstRead }: NodeBodyOptions): AsyncGenerator<Uint8Array, void, undefined> {
    onFirstRead()
    try {
      // The request outlives its body: destroyed, it would take the socket with it, and the answer.
      for await (const chunk of atLeast(this.#request.iterator({ destroyOnReturn: false }), minimumSpeed)) {
        this.received += chunk.length
        yield chunk
      }
    } catch (error) {
      throw error instanceof S3Error ? error : cutOff(error)
    }
  }
}

function cutOff(cause: unknown): S3Error {
  return new S3Error('IncompleteBody', 'The request body terminated unexpectedly', { cause })
}
