import type { RecordReader } from '../codec/record-reader.ts'
import type { RecordWriter } from '../codec/record-writer.ts'

/** The binary form of the rows of a table. */
export interface RowForm<R> {
  /** @throws Mismatch for a row that this form cannot express */
  write(to: RecordWriter, row: R): void
  /** `key` is the key of the row, for errors. @throws Malformed, or another error */
  read(from: RecordReader, key: Uint8Array): R
}
