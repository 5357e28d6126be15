/**
 * Decides what is due of one key, version by version, newest first. The rule of the command decides again later, under
 * a condition that states the assumption.
 */
import type { CommandShapes, VersionRef } from '../commands/command.ts'
import type { Seq } from '../ports/index.ts'
import type { LifecycleRule } from '../settings/lifecycle.ts'
import { daysLater, filterHolds, type JudgedObject } from './expiration.ts'

export interface JudgedVersion extends JudgedObject {
  readonly seq: Seq
  /** The version as commands name it. */
  readonly version: VersionRef
  readonly deleteMarker: boolean
}

export type DueCommand =
  | { readonly type: 'DeleteObject'; readonly data: CommandShapes['DeleteObject'] }
  | { readonly type: 'DeleteObjectVersion'; readonly data: CommandShapes['DeleteObjectVersion'] }

interface Judging {
  readonly bucket: string
  /** Only enabled rules. */
  readonly rules: readonly LifecycleRule[]
  readonly now: number
  readonly day: number
}

/** The current place in a walk through the versions of a bucket. */
interface Place {
  readonly key: string
  /** When the next newer version was created. From then on, this version was noncurrent. */
  readonly newerAt: number
  /** The number of newer noncurrent versions. */
  readonly noncurrent: number
  /** Set if the newest version is a delete marker and no older version was seen yet. */
  readonly lone: JudgedVersion | undefined
}

export class Judge {
  readonly #judging: Judging
  #place: Place | undefined

  constructor(judging: Judging) {
    this.#judging = judging
  }

  /** The commands that are due once this version is known: for it, or for the key before. */
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

  /** The commands that are due after the last version. */
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
