/**
 * What an archive of a bucket does not have of a moment in its history: versions that were there then, and were removed for
 * good later. Only the events name them. Holds those that were removed after the moment.
 */
import type { Seq } from '@varve/core'
import type { ArchivedVersion } from './documents.ts'
import type { ArchivedEvent } from './event-lines.ts'

/** A version that was removed, or restored, after the moment. */
interface TouchedVersion {
  readonly seq: Seq
  readonly isMarker: boolean
  /** False if it had been removed before the moment, and was restored after it. */
  readonly wasThere: boolean
}

export class ArchivedMoment {
  readonly #at: Seq | Date
  /** The last event of the bucket until the moment. */
  #position: Seq
  readonly #nullMarkers = new Set<Seq>()
  readonly #touched = new Map<string, TouchedVersion[]>()
  /** Of keys with restored versions: the newest version of the archive that was there. */
  readonly #newest = new Map<string, Seq>()

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

  /** True if versions were removed before the moment and restored after it: then the versions must be taken, in their order. */
  get hasRestored(): boolean {
    return [...this.#touched.values()].flat().some(({ wasThere }) => !wasThere)
  }

  takeVersion({ key, seq, lastModified }: ArchivedVersion): void {
    const touched = this.#touched.get(key)
    if (!touched?.some(({ wasThere }) => !wasThere) || !this.has(seq, Date.parse(lastModified))) return
    if (!this.#wasRemoved(key, seq)) this.#newest.set(key, seq)
  }

  /** Whether the version was the newest of its key. */
  isNewest({ key, seq, lastModified, superseded }: ArchivedVersion): boolean {
    if ((this.#newestGone(key)?.seq ?? 0) > seq) return false
    const newest = this.#newest.get(key)
    if (newest !== undefined) return newest === seq
    if (this.#wasRemoved(key, seq)) return false
    const isThere = this.has(seq, Date.parse(lastModified))
    return isThere && (superseded === undefined || !this.has(superseded.seq, Date.parse(superseded.lastModified)))
  }

  /** The object of the key was in the archive. */
  forget(key: string): void {
    this.#touched.delete(key)
  }

  /** How many objects of the moment are gone, without those that were forgotten. */
  goneObjects(): number {
    return [...this.#touched.keys()].filter((key) => this.#newestGone(key)?.isMarker === false).length
  }

  /** The first event after the moment tells whether the version was there. */
  #note(key: string, seq: unknown, of: Omit<TouchedVersion, 'seq'>): void {
    if (typeof seq !== 'number' || seq > this.#position) return
    const versions = this.#touched.get(key) ?? []
    if (versions.some((version) => version.seq === seq)) return
    versions.push({ seq, ...of })
    this.#touched.set(key, versions)
  }

  #wasRemoved(key: string, seq: Seq): boolean {
    return this.#touched.get(key)?.some((version) => version.seq === seq && !version.wasThere) === true
  }

  #newestGone(key: string): TouchedVersion | undefined {
    const found = (this.#touched.get(key) ?? []).filter(({ wasThere }) => wasThere)
    return found.toSorted((a, b) => b.seq - a.seq)[0]
  }
}

const addsVersion: ReadonlySet<string> = new Set(['VersionAdded', 'DeleteMarkerAdded', 'UploadCompleted'])
