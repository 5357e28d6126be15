/** The bytes of an object as a Node stream. */
import { Readable } from 'node:stream'
import type { ObjectContent } from '@varve/core'

/**
 * Reads as it is asked to, so memory does not grow with the object. However the stream ends, destroyed before its first
 * byte included, the object's bytes are let go. Errors of the store come as the stream's `error`.
 */
export function toReadable(content: Pick<ObjectContent, 'body' | 'close'>): Readable {
  const stream = Readable.from(content.body, { objectMode: false })
  // Destroying a stream nobody read from does not reach the generator behind it.
  stream.once('close', () => void content.close().catch(() => undefined))
  return stream
}
