/** The Merkle tree of the log: follows the log when it is asked, and reads hashes from its tiles. */
import { isStorageError } from '../base/errors.ts'
import { sameBytes } from '../bytes/bytes.ts'
import { readEvent } from '../events/log.ts'
import type { KeyspaceEngine } from '../keyspaces/keyspace-engine.ts'
import type { KeyspaceHolder } from '../keyspaces/keyspace-holder.ts'
import { readRows } from '../keyspaces/keyspace-reader.ts'
import type { KeyspaceSet } from '../keyspaces/keyspace-set.ts'
import { hashBytes, leafHash } from './merkle-hashes.ts'
import type { Subtree, TreeHashes } from './merkle-tree.ts'
import { hashAt, hashInTile, tileHeight, tileKey, type TilePlace, tileWidth } from './tile.ts'
import { missingTile } from './proof-errors.ts'
import { entryOf, treeName, treeReducer, treeVersion } from './tree-keyspace.ts'

/** How often the tree is followed again when another engine on the journal was first. */
const attemptsMax = 10

export class LogTree {
  readonly #engine: KeyspaceEngine
  readonly #keyspaces: KeyspaceSet
  #holder: Promise<KeyspaceHolder> | undefined

  constructor(engine: KeyspaceEngine, keyspaces: KeyspaceSet) {
    this.#engine = engine
    this.#keyspaces = keyspaces
  }

  /** Adds the events up to the end of the log. Resolves with the number of leaves. @throws as `Keyspace.follow` does */
  async follow(signal: AbortSignal): Promise<number> {
    for (let attempt = 1; ; attempt++) {
      try {
        const holder = await this.#held(signal)
        return await holder.follow(treeReducer(this.#engine.ports.hashing), signal)
      } catch (error) {
        this.#holder = undefined
        if (!isStorageError(error, 'KeyspaceConflict') || attempt === attemptsMax) throw error
      }
    }
  }

  /** Hashes of the tree as it is now. Tiles are read once for each call of this function. */
  hashes(signal: AbortSignal): TreeHashes {
    const { hashing } = this.#engine.ports
    const tiles = new Map<string, Promise<Uint8Array>>()
    const tileAt = (place: TilePlace): Promise<Uint8Array> => {
      const name = `${place.level}/${place.index}`
      const tile = tiles.get(name) ?? this.#stored(place, signal)
      tiles.set(name, tile)
      return tile
    }
    return {
      hashing,
      async read({ height, index }: Subtree) {
        const level = Math.floor(height / tileHeight)
        const within = height % tileHeight
        const count = tileWidth / 2 ** within
        const place = { level, index: Math.floor(index / count) }
        const tile = await tileAt(place)
        const at = index % count
        if (tile.length < (at + 1) * 2 ** within * hashBytes) throw missingTile(place)
        return hashInTile(hashing, tile, within, at)
      },
    }
  }

  /** The number of leaves, without following the log. */
  async size(signal: AbortSignal): Promise<number> {
    return (await this.#held(signal)).header.cursor
  }

  /** The first hashes of a tile that has them. @throws StorageError `RowCorrupt` */
  async tile(place: TilePlace, width: number, signal: AbortSignal): Promise<Uint8Array> {
    const tile = await this.#stored(place, signal)
    if (tile.length < width * hashBytes) throw missingTile(place)
    return tile.slice(0, width * hashBytes)
  }

  async #stored(place: TilePlace, signal: AbortSignal): Promise<Uint8Array> {
    const [tile] = await readRows(await this.#held(signal), [tileKey(place)])
    if (tile === undefined) throw missingTile(place)
    return tile
  }

  #held(signal: AbortSignal): Promise<KeyspaceHolder> {
    this.#holder ??= this.#open(signal).catch((error: unknown) => {
      this.#holder = undefined
      throw error
    })
    return this.#holder
  }

  /** A tree of another log is removed: this is so after the end of a log was lost and others wrote after it. */
  async #open(signal: AbortSignal): Promise<KeyspaceHolder> {
    const open = () => this.#keyspaces.open(treeName, treeVersion, treeReducer(this.#engine.ports.hashing), signal)
    try {
      const holder = await open()
      if (!(await this.#isOfLog(holder))) await holder.clear(signal)
      return holder
    } catch (error) {
      if (!isStorageError(error, 'AcknowledgedWritesLost')) throw error
      await this.#keyspaces.drop(treeName, signal)
      return open()
    }
  }

  /** The last leaf decides: each event has the hash of the one before. */
  async #isOfLog(holder: KeyspaceHolder): Promise<boolean> {
    const { cursor } = holder.header
    if (cursor === 0) return true
    const { hashing } = this.#engine.ports
    const { hash } = await readEvent(this.#engine.ports, cursor)
    const index = Math.floor((cursor - 1) / tileWidth)
    const [tile = new Uint8Array()] = await readRows(holder, [tileKey({ level: 0, index })])
    return sameBytes(hashAt(tile, (cursor - 1) % tileWidth), leafHash(hashing, entryOf(hash)))
  }
}
