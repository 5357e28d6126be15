/** The tiles of a tree, 256 hashes each: C2SP tlog-tiles. */
import { StorageError } from '../base/errors.ts'
import { concatBytes } from '../bytes/bytes.ts'
import { KeyWriter } from '../bytes/key-codec.ts'
import type { Hashing } from '../ports/index.ts'
import { hashBytes, nodeHash } from './merkle-hashes.ts'

/** The height of a tile, and the number of hashes in a full one. */
export const tileHeight = 8
export const tileWidth = 256

/** A tile: hash `i` is that of the `256 ** level` leaves from `(index * 256 + i) * 256 ** level`. */
export interface TilePlace {
  readonly level: number
  readonly index: number
}

/** The key of a tile in the keyspace of the tree. */
export const tileKey = ({ level, index }: TilePlace): Uint8Array => new KeyWriter(level).seq(index).finish()

/** How many hashes the tile has in a tree of this size, at most 256. */
export const widthAt = (size: number, { level, index }: TilePlace): number =>
  Math.min(tileWidth, Math.max(0, Math.floor(size / tileWidth ** level) - index * tileWidth))

/** Hash `index` of a tile, counted at a height within it: 0 is that of its own hashes, 8 that of the whole tile. */
export function hashInTile(hashing: Hashing, tile: Uint8Array, height: number, index: number): Uint8Array {
  const count = 2 ** height
  let hashes = Array.from({ length: count }, (_, i) => hashAt(tile, index * count + i))
  while (hashes.length > 1) {
    const pairs = hashes
    hashes = Array.from({ length: pairs.length / 2 }, (_, i) =>
      nodeHash(hashing, pairs[2 * i] as Uint8Array, pairs[2 * i + 1] as Uint8Array),
    )
  }
  return hashes[0] as Uint8Array
}

/** The hash of a full tile, which the level above has. */
export const hashOfTile = (hashing: Hashing, tile: Uint8Array): Uint8Array => hashInTile(hashing, tile, tileHeight, 0)

export const hashAt = (tile: Uint8Array, index: number): Uint8Array =>
  tile.subarray(index * hashBytes, (index + 1) * hashBytes)

/** What a path of a log's read API names. */
export interface TilePath {
  /** `entries`: the entries of the leaves. */
  readonly level: number | 'entries'
  readonly index: number
  /** 1 to 256. */
  readonly width: number
}

/** Levels to 63, indexes to 15 digits without needless zeros, widths of partial tiles to 255. */
const form =
  /^tile\/(?<level>entries|\d|[1-5]\d|6[0-3])\/(?!x000\/)(?<index>(?:x\d{3}\/){0,4}\d{3})(?:\.p\/(?<width>[1-9]\d?|1\d\d|2[0-4]\d|25[0-5]))?$/

/** Reads a path such as `tile/0/x001/234.p/17`. @throws StorageError `InvalidArgument` */
export function parseTilePath(path: string): TilePath {
  const { level, index = '', width } = form.exec(path)?.groups ?? {}
  if (level === undefined) {
    const message = 'A path of the log is tile/<level>/<index>, with .p/<width> if it is partial.'
    throw new StorageError('InvalidArgument', message, { details: { ArgumentName: 'path' } })
  }
  return {
    level: level === 'entries' ? level : Number(level),
    index: Number(index.replaceAll(/[x/]/g, '')),
    width: Number(width ?? tileWidth),
  }
}

/** Entries with their lengths before them, as two bytes. */
export const entryBundle = (entries: readonly Uint8Array[]): Uint8Array =>
  concatBytes(entries.flatMap((entry) => [Uint8Array.of(entry.length >>> 8, entry.length & 0xff), entry]))
