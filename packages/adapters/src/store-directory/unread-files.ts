/**
 * Files that an opening trusted. They are compared with the seal while the store is open. Each stays open until it was
 * compared: a database checks nothing of the files that it merges, so damage would get into new files, and the old
 * ones with the proof of it would be gone.
 */
import { onMedium } from '../files/errno.ts'
import type { FileSystem } from '../files/file-system.ts'
import type { PinnedFile } from '../files/pinned-file.ts'
import type { CheckedFile } from './checked-files.ts'
import { changedSinceClosing, differenceOf, sumOf } from './journal-seal.ts'

/** Called after each part that was read, with its bytes: waits, or throws to end the check. */
export type Pace = (bytes: number) => Promise<void>

export interface UnreadFile {
  readonly file: CheckedFile
  readonly pinned: PinnedFile
}

export interface UnreadFilesOptions {
  readonly fs: Pick<FileSystem, 'readdir'>
  /** The directory of the files. */
  readonly database: string
  /** Called before damage is reported. */
  onDamage(error: unknown): Promise<void>
}

const stopped = new Error('The check was stopped.')

export class UnreadFiles {
  readonly #options: UnreadFilesOptions
  readonly #left: Set<UnreadFile>
  readonly #read: CheckedFile[] = []
  #checking: Promise<void> = Promise.resolve()
  #isStopped = false

  /** The files in the order in which they are read. */
  constructor(files: readonly UnreadFile[], options: UnreadFilesOptions) {
    this.#left = new Set(files)
    this.#options = options
  }

  get count(): number {
    return this.#left.size
  }

  /** The size of what was not read yet. */
  get bytes(): number {
    return [...this.#left].reduce((sum, { file }) => sum + file.size, 0)
  }

  /** Those that were read, in this order. */
  get read(): readonly CheckedFile[] {
    return this.#read
  }

  /**
   * Compares all files that are left, one after another. Files that were merged into others come first, without a pace.
   * @throws StorageError `LogCorrupt` (`details.kind` is `files`), `JournalFailed`; what `pace` throws.
   */
  check(pace: Pace): Promise<void> {
    const check = this.#checking.then(() => this.#checkAll(pace))
    this.#checking = check.catch(() => undefined)
    return check
  }

  /** Call after the database was closed. Compares what was merged into others unread. @throws as `check` does */
  async finish(): Promise<void> {
    this.#isStopped = true
    await this.#checking
    try {
      // Where the names cannot be read, every file may be gone.
      if (this.#left.size > 0) await this.#checkGone((await this.#names()) ?? new Set())
    } finally {
      this.release()
    }
  }

  /** Closes the files that are left, without reading them. */
  release(): void {
    for (const { pinned } of this.#left) pinned.close()
    this.#left.clear()
  }

  async #checkAll(pace: Pace): Promise<void> {
    try {
      while (!this.#isStopped) {
        const names = await this.#names()
        // Where the names cannot be read, the next look or the closing finds what is gone.
        if (names !== undefined) await this.#checkGone(names)
        const [next] = this.#left
        if (next === undefined) return
        await this.#compare(next, (bytes) => this.#goOn(pace, bytes))
      }
    } catch (error) {
      if (error !== stopped) throw error
    }
  }

  async #goOn(pace: Pace, bytes: number): Promise<void> {
    if (!this.#isStopped) await pace(bytes)
    if (this.#isStopped) throw stopped
  }

  async #names(): Promise<ReadonlySet<string> | undefined> {
    const { fs, database } = this.#options
    return fs.readdir(database).then(
      (names) => new Set(names),
      () => undefined,
    )
  }

  async #checkGone(names: ReadonlySet<string>): Promise<void> {
    for (const one of this.#left) if (!names.has(one.file.name)) await this.#compare(one)
  }

  async #compare(one: UnreadFile, pace?: Pace): Promise<void> {
    const { file, pinned } = one
    const read: PinnedFile['read'] = (...to) => this.#failing('Reading the log', () => pinned.read(...to))
    const difference = differenceOf(file, await sumOf({ read }, file.size, pace))
    if (difference !== undefined) await this.#fail(changedSinceClosing(difference))
    this.#left.delete(one)
    this.#read.push(file)
    pinned.close()
  }

  async #failing<T>(doing: string, work: () => Promise<T>): Promise<T> {
    try {
      return await onMedium('JournalFailed', doing, work)
    } catch (error) {
      return this.#fail(error)
    }
  }

  /** Nothing more is compared: one difference is enough to check everything at the next opening. */
  async #fail(error: unknown): Promise<never> {
    this.release()
    await this.#options.onDamage(error)
    throw error
  }
}
