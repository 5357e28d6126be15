/** The files of a journal's database: which to seal, to copy, and to expect when there must be space to open it. */
import type { Seq } from '@varve/core'
import type { FileSystem } from '../files/file-system.ts'

export interface DamagedFile {
  readonly name: string
  readonly message: string
}

export interface DatabaseFiles {
  /** The file holds data: a copy needs it. */
  isData(name: string): boolean
  /** The file exists after the database was closed, and does not change until it is opened again. */
  isSealed(name: string): boolean
  /** After a crash, opening the database reads this file and writes its content elsewhere. */
  isReplayed(name: string): boolean
  /** An open database only appends to this file, and what a crash leaves of it is a beginning. */
  isAppended(name: string): boolean
  /**
   * The position of the first event that is read back from the files `names`; all earlier events are in files that do
   * not change. `undefined` when that is unknown.
   */
  firstReplayed(fs: FileSystem, directory: string, names: Iterable<string>): Promise<Seq | undefined>
  /**
   * Those of the files `names` of a closed database that never change: each stays as it is or is removed, and no other
   * file is ever given its name.
   */
  lasting(fs: FileSystem, directory: string, names: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * The damaged ones among the files `names` that have checksums, except the files in `vouched`. It is called before a
   * database is opened that was not closed.
   */
  damaged(
    fs: FileSystem,
    directory: string,
    names: Iterable<string>,
    vouched: ReadonlySet<string>,
  ): Promise<readonly DamagedFile[]>
  /**
   * In a copy: changes damaged files that would end the process when the database is opened. True when a rescue must
   * give up some data before the rest can be read.
   */
  defuse(directory: string, names: readonly string[]): Promise<boolean>
}
