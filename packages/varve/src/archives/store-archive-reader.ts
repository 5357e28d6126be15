/**
 * Reads the archive of a store from its first byte to its last, and checks everything that the format promises. Holds one piece
 * of the log in memory, whatever the archive claims.
 */
import {
  AbsentBytes,
  type BlobRef,
  checkedBlob,
  type Hashing,
  isStorageError,
  pieceName,
  type PieceStart,
  ReadPiece,
  type Seq,
} from '@varve/core'
import { archiveCorrupt } from './archive-error.ts'
import { archivePacking } from './archive-packing.ts'
import { documentMax, endPath, type StoreManifest } from './documents.ts'
import { blobPath, pieceMax, readStoreEnd, type StoreArchiveCounts } from './store-documents.ts'
import type { TarMember } from './tar-header.ts'
import type { TarReader } from './tar-reader.ts'

/** A blob of an archive. */
export interface ArchivedBlob {
  /** The event that brought it. */
  readonly seq: Seq
  readonly blob: BlobRef
  /** Until the next blob is requested, and once. @throws StorageError `ArchiveCorrupt` */
  readonly body: AsyncGenerator<Uint8Array>
}

/** A piece of the log, and then its blobs. */
export interface ArchivedPiece {
  readonly piece: ReadPiece
  /** Until the next piece is requested, and once. What is left is passed over. */
  readonly blobs: AsyncGenerator<ArchivedBlob>
}

/** What was read, with the digest of the last member. */
export interface StoreArchiveRead extends StoreArchiveCounts {
  /** How many contents are absent though no event says that they were erased: the store had lost them. */
  readonly lost: number
  /** Of how many others no event of the archive says so, but the store that wrote it knew. */
  readonly excused: number
  readonly size: number
  readonly sha256: string
}

type Counts = { -readonly [name in keyof StoreArchiveCounts]: number }

export class StoreArchiveReader {
  readonly tar: TarReader
  readonly manifest: StoreManifest
  readonly #hashing: Hashing
  readonly #counts: Counts = { events: 0, blobs: 0, bytes: 0, absent: 0 }
  readonly #absent = new AbsentBytes()
  /** The first member behind the blobs of a piece. */
  #member: TarMember | undefined

  constructor(tar: TarReader, manifest: StoreManifest, hashing: Hashing) {
    this.tar = tar
    this.manifest = manifest
    this.#hashing = hashing
  }

  /** @throws StorageError `ArchiveCorrupt`, `UnsupportedFormat` */
  async *pieces(): AsyncGenerator<ArchivedPiece, StoreArchiveRead> {
    let start: PieceStart = { from: 1, prev: '', store: '' }
    let member = await this.tar.next()
    while (start.from <= this.manifest.seq) {
      const piece = await this.#piece(member, start)
      const blobs = this.#blobs(piece)
      yield { piece, blobs }
      for await (const _blob of blobs) {
        // Passed over.
      }
      this.#counts.events += piece.events.length
      this.#counts.absent += piece.absentIds.length
      for (const id of piece.absentIds) this.#absent.add(id)
      for (const { event } of piece.events) this.#absent.take(event)
      start = piece.next
      member = this.#member ?? (await this.tar.next())
      this.#member = undefined
    }
    return this.#end(member.path)
  }

  async #piece({ path }: TarMember, start: PieceStart): Promise<ReadPiece> {
    if (path !== pieceName(start.from)) {
      throw archiveCorrupt('order', `the piece of the log with event ${start.from} is missing`, path)
    }
    const bytes = await this.tar.whole(pieceMax)
    try {
      const piece = await ReadPiece.read({ hashing: this.#hashing, packing: archivePacking }, bytes, start)
      if (piece.facts.to <= this.manifest.seq) return piece
    } catch (error) {
      throw damaged(error, path)
    }
    throw archiveCorrupt('counts', `the log goes on behind event ${this.manifest.seq}`, path)
  }

  async *#blobs({ brought }: ReadPiece): AsyncGenerator<ArchivedBlob> {
    const { tar } = this
    let member = await tar.next()
    for (const { seq, content } of brought) {
      const { blob } = content
      if (blob.inline) continue
      if (member.path !== blobPath(blob.id)) {
        this.#counts.absent++
        this.#absent.add(blob.id)
        continue
      }
      if (member.size !== blob.size) throw archiveCorrupt('digest', 'its size is not that of its event', member.path)
      yield { seq, blob, body: this.#body(blob) }
      this.#counts.blobs++
      this.#counts.bytes += blob.size
      member = await tar.next()
    }
    this.#member = member
  }

  async *#body(blob: BlobRef): AsyncGenerator<Uint8Array> {
    try {
      yield* checkedBlob(this.#hashing, blob, this.tar.body())
    } catch (error) {
      throw damaged(error, blobPath(blob.id))
    }
  }

  async #end(path: string): Promise<StoreArchiveRead> {
    const { tar } = this
    if (path !== endPath) throw archiveCorrupt('order', 'the member does not belong here', path)
    const sha256 = tar.digestBefore()
    const end = readStoreEnd(await tar.whole(documentMax))
    if (end.sha256 !== sha256) throw archiveCorrupt('digest', 'the archive is not the one that was written', path)
    const found = { ...this.#counts, members: tar.members - 1 }
    for (const [name, count] of Object.entries(found)) {
      const expected = end[name as keyof typeof found]
      if (expected !== count)
        throw archiveCorrupt('counts', `it has ${count} ${name}, and should have ${expected}`, path)
    }
    await tar.end()
    const excused = Math.min(end.excused ?? 0, this.#absent.size)
    return { ...this.#counts, lost: this.#absent.size - excused, excused, size: tar.position, sha256 }
  }
}

/** Damage of the log and of blobs is damage of the archive. */
const damaged = (error: unknown, member: string): unknown =>
  isStorageError(error, 'ReplicaCorrupt', 'LogCorrupt', 'BlobCorrupt')
    ? archiveCorrupt('digest', error.message.replace(/\.$/, ''), member, error)
    : error
