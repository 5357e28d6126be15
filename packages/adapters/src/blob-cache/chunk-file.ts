/**
 * A chunk of a blob in a file of its own: 1 MiB, or less at the end of the blob. The file names its chunk and has a checksum
 * over all of it, so a damaged, torn or misplaced file is found when it is read.
 */
import { crc32 } from 'node:zlib'
import type { BlobId } from '@varve/core'

/** The runs that core reads and checks. */
export const chunkBytes = 1024 * 1024

export interface ChunkPlace {
  readonly id: BlobId
  readonly index: number
  /** The size of the blob. */
  readonly size: number
}

const magic = Buffer.from('VBC1')
const checksumAt = magic.length
const placeAt = checksumAt + 4
/** The bytes before those of the chunk. */
export const headerBytes = placeAt + 16 + 4 + 8

export const chunkLength = ({ index, size }: ChunkPlace): number => Math.min(chunkBytes, size - index * chunkBytes)

export const fileLength = (place: ChunkPlace): number => headerBytes + chunkLength(place)

/** The name of the file in its directory. It has all of the place, so that a directory is read without its files. */
export const nameOf = ({ id, index, size }: ChunkPlace): string => `${id}-${index}-${size}`

const nameForm = /^([0-9a-f]{32})-(0|[1-9]\d{0,9})-([1-9]\d{0,15})$/

/** `undefined` if it is not the name of a chunk. */
export function placeOf(name: string): ChunkPlace | undefined {
  const [, id, index, size] = nameForm.exec(name) ?? []
  if (id === undefined) return undefined
  const place = { id, index: Number(index), size: Number(size) }
  return Number.isSafeInteger(place.size) && chunkLength(place) > 0 ? place : undefined
}

/** The header of a file with these bytes. */
export function headerOf(place: ChunkPlace, bytes: Uint8Array): Uint8Array {
  const header = Buffer.alloc(headerBytes)
  magic.copy(header)
  header.write(place.id, placeAt, 'hex')
  header.writeUInt32BE(place.index, placeAt + 16)
  header.writeBigUInt64BE(BigInt(place.size), placeAt + 20)
  header.writeUInt32BE(crc32(bytes, crc32(header.subarray(placeAt))), checksumAt)
  return header
}

/** The bytes of the chunk in a whole file, or `undefined` if it is not the right file, whole and undamaged. */
export function bytesIn(file: Uint8Array, place: ChunkPlace): Uint8Array | undefined {
  if (file.length !== fileLength(place)) return undefined
  const bytes = file.subarray(headerBytes)
  return Buffer.compare(file.subarray(0, headerBytes), headerOf(place, bytes)) === 0 ? bytes : undefined
}
