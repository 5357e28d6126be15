/** The rows of the tree: its tiles, computed from the log like any keyspace. */
import { StorageError } from '../base/errors.ts'
import { fillFromBase64, urlBase64 } from '../bytes/base64.ts'
import { concatBytes } from '../bytes/bytes.ts'
import type { LinkedReducer, ReducerRows, VersionedReducer } from '../keyspaces/reducer.ts'
import type { Hashing } from '../ports/index.ts'
import { hashBytes, leafHash } from './merkle-hashes.ts'
import { hashOfTile, tileKey, tileWidth } from './tile.ts'

/** No program can give a keyspace this name. */
export const treeName = 'log/tree'
/** The version of the rows. */
export const treeVersion = 1

/** The entry of an event: the hash that the next event has as its link, as 32 bytes. */
export function entryOf(hash: string): Uint8Array {
  const entry = new Uint8Array(hashBytes)
  if (fillFromBase64(urlBase64, entry, 0, hash) === hashBytes) return entry
  throw new TypeError('The hash of an event has 32 bytes.')
}

export const treeReducer =
  (hashing: Hashing): LinkedReducer =>
  ({ seq }, rows, hash) =>
    append(hashing, rows, seq - 1, leafHash(hashing, entryOf(hash)))

/** For the set of keyspaces: how `verify` and `rebuild` compute the tree. */
export const treeReducers = (hashing: Hashing): ReadonlyMap<string, VersionedReducer> =>
  new Map([[treeName, { version: treeVersion, reducer: treeReducer(hashing) }]])

async function append(hashing: Hashing, rows: ReducerRows, position: number, leaf: Uint8Array): Promise<void> {
  let [at, added] = [position, leaf]
  for (let level = 0; ; level++) {
    const [index, width] = [Math.floor(at / tileWidth), at % tileWidth]
    const key = tileKey({ level, index })
    const before = (width > 0 && (await rows.get(key))) || new Uint8Array()
    if (before.length !== width * hashBytes) throw otherWidth(level, index)
    const tile = concatBytes([before, added])
    rows.put(key, tile)
    if (width + 1 < tileWidth) return
    added = hashOfTile(hashing, tile)
    at = index
  }
}

const otherWidth = (level: number, index: number): StorageError =>
  new StorageError('RowCorrupt', `Tile ${index} of level ${level} of the log's tree is not what its position needs.`, {
    details: { kind: 'keyspace', keyspace: treeName },
  })
