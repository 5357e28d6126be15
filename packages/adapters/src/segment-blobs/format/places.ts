/** Places of blobs. */
import type { BlobId } from '@varve/core'
import { headerBytes } from './record-format.ts'
import type { SegmentId } from './segment-paths.ts'

/** A record in a segment. No offset of a segment is written twice, so a place means one record for ever. */
export interface Place {
  readonly segment: SegmentId
  /** The offset of the record's header; the blob's bytes follow it. */
  readonly offset: number
  /** The size of the blob in bytes. */
  readonly size: number
}

export interface StoredBlob extends Place {
  readonly id: BlobId
}

/** The bytes that a record takes of its segment, without padding. */
export const bytesOf = ({ size }: Pick<Place, 'size'>): number => headerBytes + size

export const isSamePlace = (a: Place | undefined, b: Place): boolean =>
  a !== undefined && a.segment === b.segment && a.offset === b.offset
