/** What is where in a store's directory. Below `blobs` and `tmp`, see `blobs/blob-paths.ts`. */
import { join } from 'node:path'

export interface StoreLayout {
  /** The identity of the store and the state it is in. */
  readonly format: string
  /** The last known end of the log, kept outside of it. */
  readonly witness: string
  /** How the files of LevelDB were left. */
  readonly seal: string
  /** LevelDB: the log and its rows. */
  readonly events: string
  /** What was damaged, kept aside with a note of what it was. */
  readonly quarantine: string
  /** What lives only as long as somebody looks. */
  readonly scratch: string
}

export const storeLayout = (directory: string): StoreLayout => ({
  format: join(directory, 'FORMAT'),
  witness: join(directory, 'witness'),
  seal: join(directory, 'seal'),
  events: join(directory, 'events'),
  quarantine: join(directory, 'quarantine'),
  scratch: join(directory, 'scratch'),
})
