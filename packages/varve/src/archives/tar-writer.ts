/** Writes the members of a tar file, and computes the SHA-256 of what it has written. */
import { createHash } from 'node:crypto'
import { StorageError } from '@varve/core'
import { blockBytes, paddedSize, tarHeader, type TarMember } from './tar-header.ts'

/** Where the bytes of an archive go. Resolves when more may be written. */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<void>
}

export class TarWriter {
  readonly #sink: ByteSink
  readonly #hash = createHash('sha256')
  /** Members so far. */
  members = 0
  /** Bytes so far. */
  bytes = 0

  constructor(sink: ByteSink) {
    this.#sink = sink
  }

  /** Writes a member with bytes that are in memory. `mtime`: seconds since the epoch. */
  async file(path: string, body: Uint8Array, mtime = 0): Promise<void> {
    const header = tarHeader({ path, size: body.length }, mtime)
    const whole = new Uint8Array(header.length + paddedSize(body.length))
    whole.set(header)
    whole.set(body, header.length)
    this.members++
    await this.#write(whole)
  }

  /** @throws StorageError `IncompleteBody` if the body has another size; what the body throws */
  async stream(member: TarMember, body: AsyncIterable<Uint8Array>, mtime: number): Promise<void> {
    this.members++
    await this.#write(tarHeader(member, mtime))
    let size = 0
    for await (const chunk of body) {
      size += chunk.length
      if (size > member.size) break
      await this.#write(chunk)
    }
    if (size !== member.size) {
      throw new StorageError(
        'IncompleteBody',
        `The bytes of ${JSON.stringify(member.path)} changed while they were read.`,
      )
    }
    await this.#write(new Uint8Array(paddedSize(size) - size))
  }

  /** The SHA-256 of all bytes so far, hex. */
  sha256(): string {
    return this.#hash.copy().digest('hex')
  }

  /** The two empty blocks after the last member. */
  async end(): Promise<void> {
    await this.#write(new Uint8Array(2 * blockBytes))
  }

  async #write(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return
    this.#hash.update(bytes)
    this.bytes += bytes.length
    await this.#sink.write(bytes)
  }
}
