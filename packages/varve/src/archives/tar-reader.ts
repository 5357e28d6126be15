/**
 * Reads the members of a tar file one after the other, and computes the SHA-256 of what came before each. Holds one chunk
 * of the file, and the pax records of one member.
 */
import { createHash } from 'node:crypto'
import { archiveCorrupt } from './archive-error.ts'
import { ByteQueue } from './byte-queue.ts'
import {
  blockBytes,
  isZeroBlock,
  paddedSize,
  parseTarHeader,
  recordsMax,
  type TarMember,
  withRecords,
} from './tar-header.ts'

export class TarReader {
  readonly #queue: ByteQueue
  readonly #hash = createHash('sha256')
  /** The header of the current member, which is not part of the digest yet. */
  #header: readonly Uint8Array[] = []
  #member: TarMember | undefined
  /** Bytes of the current member that were not read yet, and then of its padding. */
  #left = 0
  #padding = 0
  /** Members so far, with the current one. */
  members = 0

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#queue = new ByteQueue(source)
  }

  /** Bytes of the file so far. */
  get position(): number {
    return this.#queue.position
  }

  /**
   * The next member. The bytes of the one before that were not read are passed over.
   * @throws StorageError `ArchiveCorrupt`
   */
  async next(): Promise<TarMember> {
    await this.#leave()
    const first = await this.#queue.take(blockBytes, 'the archive ends before its last member')
    if (isZeroBlock(first)) throw archiveCorrupt('torn', 'it has no last member')
    let header = parseTarHeader(first)
    const blocks = [first]
    if (header.type === 'records') {
      if (header.size > recordsMax) throw archiveCorrupt('header', 'its pax records are too long')
      const records = await this.#queue.take(paddedSize(header.size), 'it ends within a header')
      const second = await this.#queue.take(blockBytes, 'it ends within a header')
      blocks.push(records, second)
      const next = parseTarHeader(second)
      if (next.type === 'records') throw archiveCorrupt('header', 'pax records follow pax records')
      header = withRecords(records.subarray(0, header.size), next)
    }
    this.#header = blocks
    this.#left = header.size
    this.#padding = paddedSize(header.size) - header.size
    this.#member = { path: header.path, size: header.size }
    this.members++
    return this.#member
  }

  /** The SHA-256 of everything before the current member, hex. Only before its bytes are read. */
  digestBefore(): string {
    return this.#hash.copy().digest('hex')
  }

  /** All bytes of the current member. @throws StorageError `ArchiveCorrupt` if it is torn, or has more than `max` bytes */
  async whole(max: number): Promise<Uint8Array> {
    if (this.#left > max) throw archiveCorrupt('document', `it has more than ${max} bytes`, this.#member?.path)
    const bytes = await this.#queue.take(this.#left, 'it ends within a member', this.#member?.path)
    this.#count(bytes)
    this.#left = 0
    return bytes
  }

  /** The bytes of the current member that were not read yet. @throws StorageError `ArchiveCorrupt` if it is torn */
  async *body(): AsyncGenerator<Uint8Array> {
    while (this.#left > 0) {
      const chunk = await this.#queue.some(this.#left)
      if (chunk === undefined) throw archiveCorrupt('torn', 'it ends within a member', this.#member?.path)
      this.#left -= chunk.length
      this.#count(chunk)
      yield chunk
    }
  }

  /** Reads what follows the last member. @throws StorageError `ArchiveCorrupt` if it is not empty */
  async end(): Promise<void> {
    await this.#leave()
    for (let blocks = 0; ; blocks++) {
      const block = await this.#queue.blockOrEnd(blockBytes)
      if (block === undefined) {
        if (blocks < 2) throw archiveCorrupt('torn', 'its end is missing')
        return
      }
      if (!isZeroBlock(block)) throw archiveCorrupt('trailing', 'bytes follow its end')
    }
  }

  /** Lets go of the file. */
  async close(): Promise<void> {
    await this.#queue.close()
  }

  async #leave(): Promise<void> {
    for await (const _chunk of this.body()) {
      // Only counted.
    }
    if (this.#padding > 0) {
      const padding = await this.#queue.take(this.#padding, 'it ends within a member')
      if (!padding.every((byte) => byte === 0))
        throw archiveCorrupt('header', 'its padding is not empty', this.#member?.path)
      this.#count(padding)
    }
    this.#padding = 0
    this.#countHeader()
  }

  #count(bytes: Uint8Array): void {
    this.#countHeader()
    this.#hash.update(bytes)
  }

  #countHeader(): void {
    for (const block of this.#header) this.#hash.update(block)
    this.#header = []
  }
}
