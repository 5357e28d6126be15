/** Records: payloads in binary form, in the frames that the journal stores. */
import { frameFormat, headerLength, seal } from '../bytes/frame.ts'
import type { Hashing } from '../ports/index.ts'
import { RecordReader } from './record-reader.ts'
import { RecordWriter } from './record-writer.ts'

/** The unused writer. A value with a getter may need another one meanwhile. */
let spare: RecordWriter | undefined

/** The frame of the payload that `write` writes, still without its header. @throws what `write` throws */
export function writeRecord(write: (to: RecordWriter) => void): Uint8Array {
  const writer = spare ?? new RecordWriter()
  spare = undefined
  writer.begin()
  try {
    write(writer)
    return writer.finish()
  } finally {
    spare = writer
  }
}

/** The same payload in a frame of its own. */
export const copyRecord = (frame: Uint8Array): Uint8Array => writeRecord((to) => to.bytes(frame.subarray(headerLength)))

/** Writes the header of a frame from `writeRecord`. */
export const sealRecord = (hashing: Hashing, key: Uint8Array, frame: Uint8Array): Uint8Array =>
  seal(hashing, key, frame, frameFormat.record)

/** Reads the payload of a whole frame from its first byte. */
export const readRecord = (frame: Uint8Array): RecordReader => new RecordReader(frame, headerLength)
