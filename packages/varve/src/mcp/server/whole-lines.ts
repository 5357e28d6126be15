/** Divides a stream into lines, each in one chunk: the transport of the SDK searches and copies all that it holds with every chunk. */
import { Transform } from 'node:stream'

const lineFeed = 10

/** @param bytesMax A longer line ends the stream with an error. Bytes after the last line feed are left out. */
export function wholeLines(bytesMax: number): Transform {
  let parts: Buffer[] = []
  let size = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const end = chunk.lastIndexOf(lineFeed) + 1
      if (size + (end === 0 ? chunk.length : chunk.indexOf(lineFeed)) > bytesMax) {
        return done(new Error(`A message of the client is longer than ${bytesMax} bytes.`))
      }
      if (end > 0) {
        this.push(Buffer.concat([...parts, chunk.subarray(0, end)]))
        parts = []
        size = 0
      }
      if (end < chunk.length) parts.push(chunk.subarray(end))
      size += chunk.length - end
      done()
    },
  })
}
