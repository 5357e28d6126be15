/** A file system in a file, which can lose its power. */
import { mkdir, rm, truncate, writeFile } from 'node:fs/promises'
import { run } from '../machine/run.ts'
import { unmount } from '../machine/unmount.ts'

export type Kind = 'ext4' | 'xfs'

const imageBytes = 512 * 1024 * 1024

export class LoopImage {
  readonly #image: string
  readonly #kind: Kind
  #mountPoint: string | undefined

  private constructor(image: string, kind: Kind) {
    this.#image = image
    this.#kind = kind
  }

  /** An empty file system in the file at `image`. */
  static async make(image: string, kind: Kind): Promise<LoopImage> {
    await rm(image, { force: true })
    await writeFile(image, '')
    await truncate(image, imageBytes)
    await run(`mkfs.${kind}`, '-q', kind === 'ext4' ? '-F' : '-f', image)
    return new LoopImage(image, kind)
  }

  async mount(at: string): Promise<void> {
    await mkdir(at, { recursive: true })
    await run('mount', '-t', this.#kind, '-o', 'loop', this.#image, at)
    this.#mountPoint = at
  }

  /** From here on nothing reaches the medium any more, and what was not synced is gone. */
  async cutPower(): Promise<void> {
    await run('xfs_io', '-x', '-c', 'shutdown', this.#mountPoint as string)
  }

  async unmount(): Promise<void> {
    if (this.#mountPoint !== undefined) await unmount(this.#mountPoint)
    this.#mountPoint = undefined
  }

  async remove(): Promise<void> {
    await this.unmount()
    await rm(this.#image, { force: true })
  }
}
