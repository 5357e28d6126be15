import type { RecordReader } from './record-reader.ts'
import type { RecordWriter } from './record-writer.ts'

/**
 * The binary form of values of one type. What `write` accepts, `read` gives back: an equal value, which shares no
 * object with the original.
 */
export interface Codec<T> {
  /**
   * The type is not trusted: callers may be programs without types. Each property is read once.
   * @throws Mismatch for a value that this form cannot express
   */
  write(to: RecordWriter, value: T): void
  /** @throws Malformed, or another error, for bytes that `write` does not write */
  read(from: RecordReader): T
}
