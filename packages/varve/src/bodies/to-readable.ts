/** The bytes of an object as a Node stream. */
import { Readable } from 'node:stream'
import { type ReadableContent, readableContent } from './readable-content.ts'

/**
 * Reads on demand, so memory does not grow with the object. However the stream ends, destroyed before its first
 * byte included, the object's bytes are let go. Errors of the store come as the stream's `error`.
 * @throws StorageError `InvalidArgument` for what is no object that was read
 */
export function toReadable(given: ReadableContent): Readable {
  const content = readableContent(given)
  const stream = Readable.from(content.body, { objectMode: false })
  // Destroying a stream before its first read does not reach the generator behind it.
  stream.once('close', () => void content.close().catch(() => undefined))
  return stream
}
