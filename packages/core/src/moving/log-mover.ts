/** The steps of a move, and what they have copied together. */
import { StorageError } from '../base/errors.ts'
import { tipAt } from '../events/log.ts'
import type { BlobId, Journal } from '../ports/index.ts'
import { copyKeyspaces } from '../repair/copy-keyspaces.ts'
import { copyLog, type LogCopied } from '../repair/copy-log.ts'
import { journalSource } from '../repair/log-source.ts'
import { bringCommonSecret, commonSecret } from '../sharing/common-secret.ts'
import { examine } from '../verify/examine.ts'
import { isLeftover } from '../verify/report.ts'
import { neededOf } from '../views/needed-blobs.ts'
import type { LogMove, LogMoved } from './places.ts'

/** So little is copied in less than a second. */
const little = { events: 500, blobs: 64, bytes: 8 * 1024 * 1024 } as const
const passesMax = 10

export class LogMover {
  readonly move: LogMove
  readonly #sum = { events: 0, blobs: 0, bytes: 0 }
  /** Bytes that were not found since all were last looked for. */
  #absent = { count: 0, ids: [] as BlobId[] }

  constructor(move: LogMove) {
    this.move = move
  }

  get absent(): { readonly count: number } {
    return this.#absent
  }

  /** Copies what the source has now, and the target does not. */
  async pass(): Promise<LogCopied> {
    const copied = await copyLog({ ...this.move, from: journalSource(this.move.from) })
    this.#sum.events += copied.events
    this.#sum.blobs += copied.blobs
    this.#sum.bytes += copied.bytes
    this.#absent.count += copied.absent
    this.#absent.ids.push(...copied.absentIds)
    return copied
  }

  /** Copies until little is left, or until it is clear that others write faster. */
  async follow(): Promise<void> {
    for (let count = 0; count < passesMax; count++) {
      const { events, blobs, bytes } = await this.pass()
      if (events <= little.events && blobs <= little.blobs && bytes <= little.bytes) return
    }
  }

  /** Looks whether all is there that the events need. The bytes themselves were checked as they were copied. */
  async problem(): Promise<StorageError | undefined> {
    const { into, hashing, signal, onCheck } = this.move
    this.#absent = { count: 0, ids: [] }
    const { report } = await examine(
      { journal: into.journal, blobs: into.blobs, hashing },
      { views: 'check', blobs: 'present', ...(signal && { signal }), ...(onCheck && { onProgress: onCheck }) },
    )
    const first = report.divergences.find((divergence) => !isLeftover(divergence))
    if (first === undefined) return undefined
    const message = `What was copied is not whole, and the store stays where it is: ${first.message}`
    return new StorageError('LogCorrupt', message, { details: { kind: 'migration', found: first.kind } })
  }

  /** Whether the target may need bytes that were not found since `problem` looked for all. */
  async mayMissBytes(): Promise<boolean> {
    const { count, ids } = this.#absent
    if (count > ids.length) return true
    return (await neededOf(this.move.into.journal, ids)).length > 0
  }

  /** @throws StorageError `RowCorrupt` */
  async bringKeyspaces(): Promise<void> {
    const [damaged] = await this.bringQuietKeyspaces()
    if (damaged === undefined) return
    const message = `The keyspace ${damaged} is damaged: drop it, or repair the store, before you move it.`
    throw new StorageError('RowCorrupt', message, { details: { kind: 'keyspace', keyspace: damaged } })
  }

  /** Those that change meanwhile are left for later. Resolves with their names. */
  async bringQuietKeyspaces(): Promise<readonly string[]> {
    const { from, into, hashing, signal } = this.move
    const ends = { from: from.journal, into: into.journal, to: await into.journal.head() }
    return copyKeyspaces({ ...ends, hashing, ...(signal && { signal }) })
  }

  async bringSecret(): Promise<void> {
    const { from, into, hashing, ids } = this.move
    const secret = await (from.secret?.read() ?? commonSecret({ journal: from.journal, hashing, ids }))
    if (into.bringSecret !== undefined) await into.bringSecret(secret)
    else await bringCommonSecret({ journal: into.journal, hashing }, secret)
  }

  async moved(isWhole: boolean): Promise<LogMoved> {
    const { from, into, hashing } = this.move
    const head = await into.journal.head()
    const hashAt = async (journal: Journal) => (head === 0 ? '' : (await tipAt({ journal, hashing }, head)).hash)
    const hashes = { from: await hashAt(from.journal), into: await hashAt(into.journal) }
    return { ...this.#sum, isWhole, head, hashes }
  }
}
