/**
 * The place of every blob, in memory. A blob can be in more than one place for a while: it was copied out of a segment
 * that still exists. The other places are its shadows. A delete must mark them too, or after a crash one of them would
 * be the blob again.
 */
import type { BlobId } from '@varve/core'
import { bytesOf, isSamePlace, type Place } from './format/places.ts'
import type { SegmentId } from './format/segment-paths.ts'

export class PlaceTable {
  readonly #places = new Map<BlobId, Place>()
  readonly #shadows = new Map<BlobId, readonly Place[]>()
  readonly #live = new Map<SegmentId, number>()

  get ids(): IterableIterator<BlobId> {
    return this.#places.keys()
  }

  at(id: BlobId): Place | undefined {
    return this.#places.get(id)
  }

  /** The other places of a blob. */
  shadowsOf(id: BlobId): readonly Place[] {
    return this.#shadows.get(id) ?? []
  }

  /** The bytes of a segment that belong to blobs. */
  liveIn(segment: SegmentId): number {
    return this.#live.get(segment) ?? 0
  }

  /** Sets the place of a blob; its place before becomes a shadow. */
  put(id: BlobId, { segment, offset, size }: Place): void {
    const before = this.#places.get(id)
    if (before !== undefined) {
      this.#count(before, -1)
      this.#shadows.set(id, [...this.shadowsOf(id), before])
    }
    const place = { segment, offset, size }
    this.#places.set(id, place)
    this.#count(place, 1)
  }

  remove(id: BlobId): void {
    const place = this.#places.get(id)
    if (place === undefined) return
    this.#places.delete(id)
    this.#shadows.delete(id)
    this.#count(place, -1)
  }

  isAt(id: BlobId, place: Place): boolean {
    return isSamePlace(this.#places.get(id), place)
  }

  /** Forgets a segment that was removed for good, with all places in it. */
  dropSegment(segment: SegmentId): void {
    this.#live.delete(segment)
    for (const [id, shadows] of this.#shadows) {
      const left = shadows.filter((shadow) => shadow.segment !== segment)
      if (left.length === 0) this.#shadows.delete(id)
      else this.#shadows.set(id, left)
    }
  }

  #count(place: Place, sign: 1 | -1): void {
    this.#live.set(place.segment, this.liveIn(place.segment) + sign * bytesOf(place))
  }
}
