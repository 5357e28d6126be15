/** Where blobs are. */
import type { BlobId } from '@varve/core'
import { headerBytes } from './record-format.ts'
import type { SegmentId } from './segment-paths.ts'

/** A record in a segment. No offset of a segment is ever written twice, so a place means one record for ever. */
export interface Place {
  readonly segment: SegmentId
  /** Of the record's header; the bytes come behind it. */
  readonly offset: number
  /** Of the blob. */
  readonly size: number
}

export interface StoredBlob extends Place {
  readonly id: BlobId
}

/** What a record takes of its segment, its padding not counted. */
export const bytesOf = ({ size }: Pick<Place, 'size'>): number => headerBytes + size

export const isSamePlace = (a: Place | undefined, b: Place): boolean =>
  a !== undefined && a.segment === b.segment && a.offset === b.offset
