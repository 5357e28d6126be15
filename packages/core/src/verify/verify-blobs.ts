import { readExtents } from '../content/content-reader.ts'
import { isStorageError } from '../errors.ts'
import type { BlobRef, Content } from '../events/index.ts'
import type { RowRange, Seq } from '../ports/index.ts'
import { type Walk, walkRows } from '../reads/row-walk.ts'
import type { Engine } from '../store/engine.ts'
import type { KeyedRow } from '../views/row-reader.ts'
import { blobTable, partTable, pastVersionTable, versionTable } from '../views/tables.ts'
import type { Divergence, Findings, VerifyOptions } from './report.ts'

/** What rows that name bytes have in common; rows of the past also know when they ended. */
interface NamingRow {
  readonly seq: Seq
  readonly content?: Content
  readonly until?: Seq
}

/** Looks at every blob that a version, past or present, or a part names, and at every blob that nothing names. */
export async function verifyBlobs(engine: Engine, options: VerifyOptions, findings: Findings): Promise<void> {
  for (const range of [versionTable.everything, pastVersionTable.everything, partTable.everything]) {
    await new TableCheck(engine, options, findings).run(range)
  }
  const { journal, blobs } = engine.ports
  for await (const id of blobs.list()) {
    if (engine.inFlight.has(id) || (await journal.get(blobTable.key(id).bytes)) !== undefined) continue
    const message = 'A blob that nothing names; the sweep removes it.'
    findings.divergences.push({ kind: 'BlobOrphan', message, key: id })
  }
}

class TableCheck {
  readonly #engine: Engine
  readonly #options: VerifyOptions
  readonly #findings: Findings

  constructor(engine: Engine, options: VerifyOptions, findings: Findings) {
    this.#engine = engine
    this.#options = options
    this.#findings = findings
  }

  async run(range: RowRange): Promise<void> {
    const { journal, hashing } = this.#engine.ports
    const total = this.#engine.writer.committed
    const walk = walkRows<NamingRow>(journal, hashing, range)
    try {
      for (let found = await this.#next(walk); found !== undefined; found = await this.#next(walk)) {
        this.#options.signal?.throwIfAborted()
        if (found.row.content?.kind === 'blob') await this.#check(found.row.content.blob, found.row)
        this.#options.onProgress?.({ stage: 'blobs', done: Math.min(found.row.seq, total), total })
      }
    } finally {
      await walk.close()
    }
  }

  /** A damaged row is noted and stepped over: what comes after it is looked at all the same. */
  async #next(walk: Walk<KeyedRow<NamingRow>>): Promise<KeyedRow<NamingRow> | undefined> {
    for (;;) {
      try {
        return await walk.next()
      } catch (error) {
        if (!isStorageError(error, 'RowCorrupt')) throw error
        this.#note({ kind: 'RowCorrupt', message: error.message, key: String(error.details['key']) })
      }
    }
  }

  async #check(blob: BlobRef, { seq, until }: NamingRow): Promise<void> {
    try {
      await (this.#options.blobs === 'present' && !blob.inline ? this.#present(blob, seq) : this.#read(blob))
      this.#findings.blobs++
    } catch (error) {
      if (!isStorageError(error, 'BlobMissing', 'BlobCorrupt')) throw error
      // The bytes of a removed version may have been erased; only live ones must be there.
      if (error.code === 'BlobMissing' && until !== undefined) return
      this.#note({ kind: error.code, message: error.message, key: blob.id, seq })
    }
  }

  async #present(blob: BlobRef, seq: Seq): Promise<void> {
    const handle = await this.#engine.ports.blobs.open(blob.id)
    await handle.close()
    if (handle.size === blob.size) return
    this.#note({ kind: 'BlobCorrupt', message: 'The bytes of this object are damaged (size).', key: blob.id, seq })
  }

  async #read(blob: BlobRef): Promise<void> {
    const { blobs, hashing, journal } = this.#engine.ports
    const extents = [{ blob, range: { start: 0, end: blob.size } }]
    const options = { blobs, hashing, manifest: () => Promise.resolve([]) }
    for await (const chunk of readExtents(options, journal, extents)) this.#findings.bytes += chunk.length
  }

  #note(divergence: Divergence): void {
    const { divergences } = this.#findings
    if (divergences.some(({ kind, key }) => kind === divergence.kind && key === divergence.key)) return
    divergences.push(divergence)
  }
}
