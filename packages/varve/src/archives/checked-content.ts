/** The bytes of a content in an archive. They end in an error unless they are those that the metadata names. */
import { createHash } from 'node:crypto'
import { archiveCorrupt } from './archive-error.ts'
import type { ArchivedVersion } from './documents.ts'

/** An ETag that is the MD5 of the bytes. Those of parts and of some encrypted objects are not. */
const plainEtag = /^[0-9a-f]{32}$/

/** The MD5 that the bytes of a version have, hex, if its ETag tells it. */
export const md5Of = ({
  etag = '',
  partsCount,
  encryption,
}: Pick<ArchivedVersion, 'encryption' | 'etag' | 'partsCount'>): string | undefined =>
  plainEtag.test(etag) && partsCount === undefined && (encryption === undefined || encryption.mode === 'AES256')
    ? etag
    : undefined

export class CheckedContent {
  readonly #facts: ArchivedVersion
  readonly #chunks: AsyncGenerator<Uint8Array>
  readonly #sha256 = createHash('sha256')
  readonly #md5 = createHash('md5')
  #isOver = false

  constructor(facts: ArchivedVersion, chunks: AsyncGenerator<Uint8Array>) {
    this.#facts = facts
    this.#chunks = chunks
  }

  /** The bytes that were not read yet. */
  async *read(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = this.#isOver ? undefined : await this.#chunks.next()
      if (next === undefined) return
      if (next.done === true) return this.#check()
      this.#sha256.update(next.value)
      this.#md5.update(next.value)
      yield next.value
    }
  }

  /** Reads the rest, so that it is checked too. */
  async drain(): Promise<void> {
    for await (const _chunk of this.read()) {
      // Only checked.
    }
  }

  #check(): void {
    this.#isOver = true
    const { path, sha256 } = this.#facts
    const md5 = md5Of(this.#facts)
    if (this.#sha256.digest('hex') !== sha256)
      throw archiveCorrupt('digest', 'its bytes are not those of its SHA-256', path)
    if (md5 !== undefined && this.#md5.digest('hex') !== md5) {
      throw archiveCorrupt('digest', 'its bytes are not those of its ETag', path)
    }
  }
}
