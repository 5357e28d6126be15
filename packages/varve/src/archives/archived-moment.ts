/**
 * What an archive of a bucket does not have of a moment in its history: versions that were there then, and were removed for
 * good later. Only the events name them. Holds those that were removed after the moment.
 */
import type { Seq } from '@varve/core'
import type { ArchivedEvent } from './event-lines.ts'

interface GoneVersion {
  readonly seq: Seq
  readonly isMarker: boolean
  /** False if it had been removed before the moment, and was restored and removed again after it. */
  readonly wasThere: boolean
}

export class ArchivedMoment {
  readonly #at: Seq | Date
  /** The last event of the bucket until the moment. */
  #position: Seq
  readonly #nullMarkers = new Set<Seq>()
  readonly #gone = new Map<string, GoneVersion[]>()

  constructor(at: Seq | Date) {
    this.#at = at
    this.#position = typeof at === 'number' ? at : 0
  }

  /** True for what was recorded until the moment. `time`: in milliseconds. */
  has(seq: Seq, time: number): boolean {
    return typeof this.#at === 'number' ? seq <= this.#at : time <= this.#at.getTime()
  }

  /** Takes the events in their order. */
  take({ type, seq, at, data }: ArchivedEvent): void {
    const { key, version, replaces, nullVersion, deleteMarker } = data
    if (this.has(seq, at)) {
      this.#position = Math.max(this.#position, seq)
      if (type === 'DeleteMarkerAdded' && nullVersion === true) this.#nullMarkers.add(seq)
    } else if (typeof key !== 'string') return
    else if (type === 'VersionRemoved' || type === 'VersionRestored') {
      this.#note(key, version, { isMarker: deleteMarker === true, wasThere: type === 'VersionRemoved' })
    } else if (addsVersion.has(type)) {
      this.#note(key, replaces, { isMarker: this.#nullMarkers.has(Number(replaces)), wasThere: true })
    }
  }

  /** True if a version that is gone was newer at the moment than this one. */
  hides(key: string, seq: Seq): boolean {
    return (this.#newestGone(key)?.seq ?? 0) > seq
  }

  /** The object of the key was in the archive. */
  forget(key: string): void {
    this.#gone.delete(key)
  }

  /** How many objects of the moment are gone, without those that were forgotten. */
  goneObjects(): number {
    return [...this.#gone.keys()].filter((key) => this.#newestGone(key)?.isMarker === false).length
  }

  /** The first event after the moment tells whether the version was there. */
  #note(key: string, seq: unknown, of: Omit<GoneVersion, 'seq'>): void {
    if (typeof seq !== 'number' || seq > this.#position) return
    const versions = this.#gone.get(key) ?? []
    if (versions.some((version) => version.seq === seq)) return
    versions.push({ seq, ...of })
    this.#gone.set(key, versions)
  }

  #newestGone(key: string): GoneVersion | undefined {
    const found = (this.#gone.get(key) ?? []).filter(({ wasThere }) => wasThere)
    return found.toSorted((a, b) => b.seq - a.seq)[0]
  }
}

const addsVersion: ReadonlySet<string> = new Set(['VersionAdded', 'DeleteMarkerAdded', 'UploadCompleted'])
