/** The files of a journal's database, for sealing, copying, and for finding room to open it. */
import type { Seq } from '@varve/core'
import type { FileSystem } from '../files/file-system.ts'

export interface DamagedFile {
  readonly name: string
  readonly message: string
}

export interface DatabaseFiles {
  /** Holds data: a copy needs it. */
  isData(name: string): boolean
  /** Is there after it was closed, and does not change until it is opened again. */
  isSealed(name: string): boolean
  /** Is read back when it is opened after a crash, and written elsewhere. */
  isReplayed(name: string): boolean
  /**
   * The position of the first event that is read back from the files `names`; all before it stand in files that do not change.
   * `undefined` when that is unknown.
   */
  firstReplayed(fs: FileSystem, directory: string, names: Iterable<string>): Promise<Seq | undefined>
  /**
   * Those of the files `names` of a database that is closed which will be there unchanged, or not be there: nothing else is
   * ever given the name of one.
   */
  lasting(fs: FileSystem, directory: string, names: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * What is wrong with those of the files `names` that say so by themselves, `vouched` aside: looked for before a database
   * is opened that was not closed.
   */
  damaged(
    fs: FileSystem,
    directory: string,
    names: Iterable<string>,
    vouched: ReadonlySet<string>,
  ): Promise<readonly DamagedFile[]>
  /**
   * In a copy: changes what would end the process if it were opened with files `names` that are damaged. True when some of
   * it must be given up, by a rescue, before the rest can be read.
   */
  defuse(directory: string, names: readonly string[]): Promise<boolean>
}
