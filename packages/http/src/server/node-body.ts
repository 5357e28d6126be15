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

export function nodeBody(request: IncomingMessage, { minimumSpeed, onFirstRead }: NodeBodyOptions): NodeBody {
  let received = 0
  async function* source(): AsyncGenerator<Uint8Array, void, undefined> {
    onFirstRead()
    try {
      // The request outlives its body: destroyed, it would take the socket with it, and the answer.
      for await (const chunk of atLeast(request.iterator({ destroyOnReturn: false }), minimumSpeed)) {
        received += chunk.length
        yield chunk
      }
    } catch (error) {
      throw error instanceof S3Error ? error : cutOff(error)
    }
  }
  return {
    source: source(),
    get received() {
      return received
    },
    get unread() {
      const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
      if (request.readableEnded || (length === undefined && encoding === undefined)) return 0
      return encoding === undefined ? Number(length) - received : Number.POSITIVE_INFINITY
    },
  }
}

function cutOff(cause: unknown): S3Error {
  return new S3Error('IncompleteBody', 'The request body terminated unexpectedly', { cause })
}
