/** Reads a file from beginning to end, in pieces as large as the request and at least `pieceLength`. */
import type { OpenFile } from '../../files/file-system.ts'
import { readUpTo } from '../../files/read-up-to.ts'

const pieceLength = 256 * 1024

export class FileWindow {
  readonly #file: OpenFile
  /** The file is read only up to this offset. */
  readonly #end: number
  #bytes: Buffer = Buffer.alloc(0)
  #from = 0

  constructor(file: OpenFile, end: number) {
    this.#file = file
    this.#end = end
  }

  /** The bytes at `offset` if they were read already. Returned bytes are never overwritten. */
  peek(offset: number, length: number): Buffer | undefined {
    const at = offset - this.#from
    return at >= 0 && at + length <= this.#bytes.length ? this.#bytes.subarray(at, at + length) : undefined
  }

  /** The bytes at `offset`; fewer where the file ends. */
  async load(offset: number, length: number): Promise<Buffer> {
    const wanted = Math.min(Math.max(length, pieceLength), this.#end - offset)
    this.#bytes = await readUpTo(this.#file, offset, Math.max(wanted, 0))
    this.#from = offset
    return this.#bytes.subarray(0, length)
  }
}
