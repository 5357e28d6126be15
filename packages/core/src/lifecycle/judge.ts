/**
 * What is due of one key, version by version, newest first. What is decided here is decided again when the command comes to
 * its turn, under a condition that states the assumption.
 */
import type { CommandShapes } from '../commands/command.ts'
import type { Seq } from '../ports/index.ts'
import type { LifecycleRule } from '../settings/lifecycle.ts'
import { daysLater, filterHolds, type JudgedObject } from './expiration.ts'

export interface JudgedVersion extends JudgedObject {
  readonly seq: Seq
  /** As commands name it. */
  readonly version: Seq | null
  readonly deleteMarker: boolean
}

export type DueCommand =
  | { readonly type: 'DeleteObject'; readonly data: CommandShapes['DeleteObject'] }
  | { readonly type: 'DeleteObjectVersion'; readonly data: CommandShapes['DeleteObjectVersion'] }

interface Judging {
  readonly bucket: string
  /** Those that are enabled. */
  readonly rules: readonly LifecycleRule[]
  readonly now: number
  readonly day: number
}

/** Where a walk through the versions of a bucket is. */
interface Place {
  readonly key: string
  /** When the version before, which is newer, was made: since then this one is not current. */
  readonly newerAt: number
  /** How many before this one are not current either. */
  readonly noncurrent: number
  /** The newest is a delete marker, and nothing came behind it yet. */
  readonly lone: JudgedVersion | undefined
}

export class Judge {
  readonly #judging: Judging
  #place: Place | undefined

  constructor(judging: Judging) {
    this.#judging = judging
  }

  /** What is due once this version is known: of it, or of the key before. */
  next(version: JudgedVersion): readonly DueCommand[] {
    const place = this.#place
    if (place?.key !== version.key) {
      const before = this.end()
      this.#place = {
        key: version.key,
        newerAt: version.at,
        noncurrent: 0,
        lone: version.deleteMarker ? version : undefined,
      }
      return version.deleteMarker ? before : [...before, ...this.#current(version)]
    }
    this.#place = { ...place, newerAt: version.at, noncurrent: place.noncurrent + 1, lone: undefined }
    return this.#noncurrent(version, place)
  }

  /** What is due when there are no more. */
  end(): readonly DueCommand[] {
    const marker = this.#place?.lone
    this.#place = undefined
    if (marker === undefined) return []
    const { bucket, rules, now, day } = this.#judging
    const due = rules.some(({ filter, expiration }) => {
      if (expiration === undefined || !filterHolds(filter, marker)) return false
      if ('expiredObjectDeleteMarker' in expiration) return expiration.expiredObjectDeleteMarker
      return ('date' in expiration ? expiration.date : daysLater(marker.at, expiration.days, day)) <= now
    })
    const { key, version } = marker
    return due ? [{ type: 'DeleteObjectVersion', data: { bucket, key, version, onlyIf: 'lone-marker' } }] : []
  }

  #current(object: JudgedVersion): readonly DueCommand[] {
    const { bucket, rules, now, day } = this.#judging
    const due = rules.some(({ filter, expiration }) => {
      if (expiration === undefined || 'expiredObjectDeleteMarker' in expiration) return false
      const time = 'date' in expiration ? expiration.date : daysLater(object.at, expiration.days, day)
      return time <= now && filterHolds(filter, object)
    })
    return due ? [{ type: 'DeleteObject', data: { bucket, key: object.key, onlyIfNewest: object.seq } }] : []
  }

  #noncurrent(old: JudgedVersion, { newerAt, noncurrent }: Place): readonly DueCommand[] {
    const { bucket, rules, now, day } = this.#judging
    const due = rules.some(({ filter, noncurrentExpiration: expiration }) => {
      if (expiration === undefined || noncurrent < (expiration.newerVersions ?? 0)) return false
      return daysLater(newerAt, expiration.days, day) <= now && filterHolds(filter, old)
    })
    const { key, version } = old
    return due ? [{ type: 'DeleteObjectVersion', data: { bucket, key, version, onlyIf: 'noncurrent' } }] : []
  }
}
