/**
 * Where every blob is, in memory. A blob can be in more than one place for a while: when it was copied out of a segment
 * that is still there. All but one of the places are its shadows, and a delete has to mark them too, or one of them
 * would be the blob again after a crash.
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

  /** Where else it is. */
  shadowsOf(id: BlobId): readonly Place[] {
    return this.#shadows.get(id) ?? []
  }

  /** Bytes of a segment that belong to a blob. */
  liveIn(segment: SegmentId): number {
    return this.#live.get(segment) ?? 0
  }

  /** The blob is here from now on; where it was before becomes a shadow. */
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

  /** A segment is gone for good, and what was left of anything in it. */
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
