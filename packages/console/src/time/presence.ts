/** Follows one key through its events: whether clients get an object, and which event took it away. */

import type { LogEvent } from './events.ts'

export class Presence {
  /** The versions that exist, with whether each is a delete marker. */
  readonly #versions = new Map<number, boolean>()
  #newest = 0
  /** The event that left the key without an object; `undefined` while it has one. */
  removal: LogEvent | undefined

  /** Events in the order of the log, from the first one of the key on. */
  apply(event: LogEvent): void {
    const had = this.hasObject
    this.#change(event)
    if (this.hasObject) this.removal = undefined
    else if (had) this.removal = event
  }

  /** The newest version is the current one. */
  get hasObject(): boolean {
    return this.#versions.get(this.#newest) === false
  }

  #add(version: number, isMarker: boolean): void {
    this.#versions.set(version, isMarker)
    this.#newest = Math.max(this.#newest, version)
  }

  #remove(version: number): void {
    this.#versions.delete(version)
    if (version !== this.#newest) return
    this.#newest = 0
    for (const left of this.#versions.keys()) this.#newest = Math.max(this.#newest, left)
  }

  #change({ type, seq, data: { version = seq, replaces, deleteMarker = false } }: LogEvent): void {
    switch (type) {
      case 'VersionAdded':
      case 'UploadCompleted':
      case 'DeleteMarkerAdded':
        this.#add(seq, type === 'DeleteMarkerAdded')
        if (replaces !== undefined) this.#remove(replaces)
        return
      case 'VersionRestored':
        this.#add(version, deleteMarker)
        return
      case 'VersionRemoved':
        this.#remove(version)
    }
  }
}
