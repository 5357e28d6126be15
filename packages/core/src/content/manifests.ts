/**
 * The parts of objects that were uploaded in parts. They never change after the completion, so the last few are cached.
 */
import type { Soon } from '../base/soon.ts'
import { StorageError } from '../base/errors.ts'
import { plainSize } from '../encryption/chunk-cipher.ts'
import type { BlobContent, Erasure } from '../events/index.ts'
import type { Hashing, RowReader, Seq } from '../ports/index.ts'
import type { CacheTally } from '../observing/cache-tally.ts'
import { committedRows } from '../views/row-reader.ts'
import type { PartRow } from '../views/rows.ts'
import { partTable } from '../views/tables.ts'

export interface ManifestPart extends PartRow {
  readonly partNumber: number
}

const defaultKeptParts = 50_000

export interface ManifestsOptions {
  /** The cache holds at most this many parts, or a single larger manifest. @default 50,000 */
  readonly keptPartsMax?: number
  readonly tally?: CacheTally | undefined
}

/** Reads one committed state of the rows. */
export type AskRows = <R>(ask: (rows: RowReader) => Soon<R>) => Soon<R>

export class Manifests {
  readonly #askRows: AskRows
  readonly #hashing: Hashing
  readonly #keptPartsMax: number
  readonly #tally: CacheTally | undefined
  readonly #kept = new Map<Seq, readonly ManifestPart[]>()
  #keptParts = 0

  constructor(askRows: AskRows, hashing: Hashing, { keptPartsMax = defaultKeptParts, tally }: ManifestsOptions = {}) {
    this.#keptPartsMax = keptPartsMax
    this.#tally = tally
    this.#askRows = askRows
    this.#hashing = hashing
  }

  /** The parts in the order of their numbers. Only for completed uploads. */
  async parts(upload: Seq): Promise<readonly ManifestPart[]> {
    const kept = this.#kept.get(upload)
    this.#tally?.count(kept !== undefined)
    if (kept !== undefined) return kept
    const rows = await this.#askRows((reader) =>
      committedRows(reader, this.#hashing).all<PartRow>(partTable.ofUpload(upload)),
    )
    const parts = rows.map(({ key, row }) => ({ ...row, partNumber: partTable.number(key) }))
    this.#keep(upload, parts)
    return parts
  }

  /** The blobs of an object of `size` bytes. @throws StorageError `ObjectErased` when some of its parts were erased. */
  async contents(upload: Seq, size: number): Promise<readonly BlobContent[]> {
    const contents = (await this.parts(upload)).flatMap(({ content }) => (content.kind === 'blob' ? [content] : []))
    if (contents.reduce((total, content) => total + plainSize(content), 0) !== size) throw objectErased()
    return contents
  }

  forgetErased(erased: readonly Erasure[]): void {
    for (const { content } of erased) if (content.kind === 'parts') this.forget(content.upload)
  }

  forget(upload: Seq): void {
    this.#keptParts -= this.#kept.get(upload)?.length ?? 0
    this.#kept.delete(upload)
  }

  #keep(upload: Seq, parts: readonly ManifestPart[]): void {
    // A concurrent read may have cached it already; it must count only once.
    this.forget(upload)
    this.#kept.set(upload, parts)
    this.#keptParts += parts.length
    for (const oldest of this.#kept.keys()) {
      if (this.#keptParts <= this.#keptPartsMax || oldest === upload) return
      this.forget(oldest)
    }
  }
}

export const objectErased = (): StorageError =>
  new StorageError(
    'ObjectErased',
    'The bytes of this version were erased: on purpose, or after the version was removed. Its log entries remain.',
  )
