/** What is known of one key while many operations write and read it at once. */
export interface Known {
  /** The number of the last version whose write has begun. */
  issued: number
  /** The version that the key holds, if `settled`; otherwise one of several writes came last. */
  version: number
  present: boolean
  settled: boolean
  /** Running writes, and the number of writes that have begun or ended. */
  writers: number
  changes: number
  liveBytes: number
}

export const knownKey = (): Known => ({
  issued: 0,
  version: 0,
  present: false,
  settled: true,
  writers: 0,
  changes: 0,
  liveBytes: 0,
})

interface Writing {
  readonly version: number
  put(bytes: number, versioned: boolean): void
  deleted(versioned: boolean): void
}

/** Begins a write; `put` or `deleted` ends it. */
export function writing(key: Known): Writing {
  const version = ++key.issued
  const alone = key.writers++ === 0
  const changes = ++key.changes
  const end = (present: boolean): void => {
    key.settled = alone && key.changes === changes
    key.writers--
    key.changes++
    key.version = version
    key.present = present
  }
  return {
    version,
    put(bytes, versioned) {
      end(true)
      key.liveBytes = versioned ? key.liveBytes + bytes : bytes
    },
    deleted(versioned) {
      end(false)
      if (!versioned) key.liveBytes = 0
    },
  }
}

export interface Allowed {
  readonly absent: boolean
  readonly from: number
  readonly to: number
}

/** Begins a read. After the read, `allowed` gives the versions that it may have returned. */
export function reading(key: Known): { allowed(): Allowed } {
  const { changes, writers, settled, present, version } = key
  return {
    allowed() {
      const exact = settled && writers === 0 && key.changes === changes
      if (!exact) return { absent: true, from: 1, to: key.issued }
      return present ? { absent: false, from: version, to: version } : { absent: true, from: 1, to: 0 }
    },
  }
}

/** Tests the newest version first, because it is most often the right one. */
export function mayBe({ from, to }: Allowed, is: (version: number) => boolean): boolean {
  for (let version = to; version >= from; version--) if (is(version)) return true
  return false
}
