/** What is where in a store's directory. Below `blobs` and `tmp`, see `blobs/blob-paths.ts`. */
import { join } from 'node:path'

export interface StoreLayout {
  /** The identity of the store and the state it is in. */
  readonly format: string
  /** The last known end of the log, kept outside of it. */
  readonly witness: string
  /** LevelDB: the log and its rows. */
  readonly events: string
}

export const storeLayout = (directory: string): StoreLayout => ({
  format: join(directory, 'FORMAT'),
  witness: join(directory, 'witness'),
  events: join(directory, 'events'),
})
