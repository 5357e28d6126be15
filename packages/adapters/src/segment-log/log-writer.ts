/** The end of the log. It writes groups of commits one after another, each durable before the next. */
import { randomBytes } from 'node:crypto'
import type { Commit } from '@varve/core'
import type { FileSystem, OpenFile } from '../files/file-system.ts'
import { writeAll } from '../files/write-all.ts'
import { createSegment } from './create-segment.ts'
import { encodeGroup, type EncodedGroup } from './format/encode-group.ts'
import type { LogPosition } from './format/log-position.ts'
import { saltLength } from './format/segment-header.ts'
import { segmentPath } from './format/segment-names.ts'

export interface LogWriterOptions {
  readonly fs: FileSystem
  readonly directory: string
  /** A segment of this length gets a successor, in bytes. */
  readonly segmentBytes: number
  readonly longFrom: number
  /** Random bytes. @default node:crypto */
  readonly salt?: (() => Uint8Array) | undefined
}

export class LogWriter {
  readonly #options: LogWriterOptions
  #end: LogPosition
  #buffer: Buffer = Buffer.alloc(0)
  /** The segment that is written to. If there is none, the next group creates it. */
  #open: { readonly file: OpenFile; readonly seed: number } | undefined

  constructor(options: LogWriterOptions, end: LogPosition) {
    this.#options = options
    this.#end = end
  }

  /** Everything before this position is durable. */
  get end(): LogPosition {
    return this.#end
  }

  /** Continues in the last segment, of which every byte is known to be durable. */
  async resume(seed: number): Promise<void> {
    await this.#openFile(this.#end.segment, seed)
  }

  /** Resolves when the group is durable. After a rejection its outcome is unknown, and no other group may follow. */
  async append(commits: readonly Commit[]): Promise<EncodedGroup> {
    const { segmentBytes, longFrom } = this.#options
    if (this.#open === undefined || this.#end.offset >= segmentBytes) await this.begin([])
    const { file, seed } = this.#open as { file: OpenFile; seed: number }
    const group = encodeGroup(commits, this.#end, { seed, longFrom, buffer: (length) => this.#bufferOf(length) })
    await writeAll(file, group.bytes, this.#end.offset)
    await file.datasync()
    this.#end = group.end
    return group
  }

  /** Begins another segment, which contains these commits from the start. */
  async begin(carried: readonly Commit[]): Promise<EncodedGroup> {
    const { fs, directory, longFrom, salt = randomSalt } = this.#options
    const number = this.#end.segment + 1
    await this.close()
    const made = { number, previous: this.#end, salt: salt(), carried, longFrom }
    const group = await createSegment(fs, directory, made)
    await this.#openFile(number, group.seed)
    this.#end = group.end
    return group
  }

  async close(): Promise<void> {
    const open = this.#open
    this.#open = undefined
    await open?.file.close()
  }

  /** One buffer serves all groups but the largest. */
  #bufferOf(length: number): Buffer {
    if (length > bufferMax) return Buffer.allocUnsafeSlow(length)
    if (length > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(Math.min(2 * length, bufferMax))
    return this.#buffer.subarray(0, length)
  }

  async #openFile(segment: number, seed: number): Promise<void> {
    const { fs, directory } = this.#options
    this.#open = { file: await fs.open(segmentPath(directory, segment), 'r+'), seed }
  }
}

const bufferMax = 8 * 1024 * 1024

export const randomSalt = (): Uint8Array => Uint8Array.from(randomBytes(saltLength))
