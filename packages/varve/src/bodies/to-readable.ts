/** The bytes of an object as a Node stream. */
import { Readable } from 'node:stream'
import { type ReadableContent, readableContent } from './readable-content.ts'

/**
 * Reads on demand, so memory does not grow with the object. The object's bytes are released when the stream ends in any
 * way, even if it is destroyed before its first byte. Errors of the store become `error` events of the stream.
 * @throws StorageError `InvalidArgument` for a value that is not a result of `objects.get`
 */
export function toReadable(given: ReadableContent): Readable {
  const content = readableContent(given)
  const stream = Readable.from(content.body, { objectMode: false })
  // Destroying a stream before its first read does not reach the generator behind it.
  stream.once('close', () => void content.close().catch(() => undefined))
  return stream
}
