/**
 * The ports in a few lines each, for tests of the core: maps instead of disks, a clock that is set by hand, and
 * ids that count. Adapters that people use are in packages/adapters, and prove themselves with the contract suites.
 */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { compareBytes } from '../bytes/bytes.ts'
import { StorageError } from '../base/errors.ts'
import type {
  BlobStore,
  Clock,
  Commit,
  Digest,
  DigestAlgorithm,
  Hashing,
  Journal,
  KeySecrets,
  Row,
  RowCursor,
  RowRange,
  RowReader,
  RowSnapshot,
} from '../ports/index.ts'
import type { StorePorts } from '../engine/store-ports.ts'

export interface MemoryPorts extends StorePorts {
  readonly journal: MemoryJournal
  readonly blobs: MemoryBlobs
  readonly clock: FixtureClock
}

/** A machine whose clock is right: as much time has passed as the wall clock shows, unless it was set back. */
export interface FixtureClock extends Clock {
  time: number
}

function fixtureClock(): FixtureClock {
  let latest = 0
  return {
    time: 1_700_000_000_000,
    now() {
      return this.time
    },
    monotonic() {
      return (latest = Math.max(latest, this.time))
    },
  }
}

export function memoryPorts(): MemoryPorts {
  const clock = fixtureClock()
  let count = 0
  const ids = { next: () => (++count).toString(16).padStart(32, '0') }
  return { journal: memoryJournal(), blobs: memoryBlobs(), clock, ids, hashing, secrets: memorySecrets() }
}

export function memorySecrets(stored = new Map<string, string>()): KeySecrets {
  let made = 0
  return {
    tokenKey: async () => new Uint8Array(32),
    make: () => ({ accessKeyId: `AKIA${++made}`, secretAccessKey: `secret ${made}`.replace(' ', '-') }),
    async put({ accessKeyId, secretAccessKey }) {
      const before = stored.get(accessKeyId)
      if (before === undefined) stored.set(accessKeyId, secretAccessKey)
      return before === undefined || before === secretAccessKey
    },
    get: async (id) => stored.get(id),
    remove: async (id) => void stored.delete(id),
    async settle(_active, revoked) {
      for (const id of revoked) stored.delete(id)
    },
  }
}

export interface MemoryJournal extends Journal {
  exclusive: boolean
  readonly log: Uint8Array[]
  readonly rows: Map<string, Row>
  /** Commits made so far. */
  commits: number
  /** Rows read so far. */
  reads: number
  snapshot(): RowSnapshot
}

export function memoryJournal(): MemoryJournal {
  const rows = new Map<string, Row>()
  const log: Uint8Array[] = []
  const journal: MemoryJournal = {
    log,
    rows,
    commits: 0,
    reads: 0,
    ...readerOf(rows, () => journal.reads++),
    head: async () => log.length,
    exclusive: true,
    async commit(commit: Commit) {
      const { events, rows: changes } = commit
      assertExpected(commit, log.length, (key) => rows.get(name(key))?.[1])
      journal.commits++
      log.push(...events)
      for (const { key, value } of changes) {
        if (value === null) rows.delete(name(key))
        else rows.set(name(key), [key, value])
      }
    },
    async *events({ from = 1, to = log.length } = {}) {
      for (let seq = from; seq <= Math.min(to, log.length); seq++) yield { seq, bytes: log[seq - 1] as Uint8Array }
    },
    snapshot: () => ({ ...readerOf(new Map(rows), () => journal.reads++), close: async () => undefined }),
    close: async () => undefined,
  }
  return journal
}

/** What every journal checks before a commit. */
function assertExpected(commit: Commit, head: number, row: (key: Uint8Array) => Uint8Array | undefined): void {
  const { expectedHead, expectedRows = [], events, outsideLog } = commit
  if (events.length > 0 && (expectedHead === undefined || outsideLog === true)) throw new TypeError('Not such events.')
  if (expectedHead !== undefined && expectedHead !== head) throw new StorageError('JournalConflict', 'Another head.')
  for (const { key, value } of expectedRows) {
    const found = row(key)
    const isSame = value === null || found === undefined ? value === (found ?? null) : compareBytes(value, found) === 0
    if (!isSame) throw new StorageError('JournalConflict', 'Another row.')
  }
}

const name = (key: Uint8Array): string => Buffer.from(key).toString('latin1')

function readerOf(rows: Map<string, Row>, count: () => void): RowReader {
  const get = async (key: Uint8Array) => {
    count()
    return rows.get(name(key))?.[1]
  }
  return {
    get,
    getMany: (keys) => Promise.all(keys.map(get)),
    cursor: (range) => cursorOf([...rows.values()], range, count),
  }
}

function cursorOf(rows: Row[], { gte, lt, reverse = false }: RowRange, count: () => void): RowCursor {
  let rest = rows.filter(([key]) => compareBytes(key, gte) >= 0 && compareBytes(key, lt) < 0)
  rest.sort(([a], [b]) => (reverse ? compareBytes(b, a) : compareBytes(a, b)))
  return {
    async next(wanted) {
      const page = rest.splice(0, wanted)
      for (let i = 0; i < page.length; i++) count()
      return page
    },
    seek(place) {
      rest = rest.filter(([key]) => (reverse ? compareBytes(key, place) <= 0 : compareBytes(key, place) >= 0))
    },
    close: async () => undefined,
  }
}

export interface MemoryBlobs extends BlobStore {
  readonly bytes: Map<string, Uint8Array>
}

function memoryBlobs(): MemoryBlobs {
  const bytes = new Map<string, Uint8Array>()
  return {
    bytes,
    async write(id, source) {
      const chunks: Uint8Array[] = []
      for await (const chunk of source) chunks.push(Uint8Array.from(chunk))
      const whole = Buffer.concat(chunks)
      bytes.set(id, whole)
      return whole.length
    },
    async open(id) {
      const whole = bytes.get(id)
      if (whole === undefined) throw new StorageError('BlobMissing', 'No such blob.')
      return {
        size: whole.length,
        read: async (into, start) => into.set(whole.subarray(start, start + into.length)),
        close: async () => undefined,
      }
    },
    async delete(ids) {
      for (const id of ids) bytes.delete(id)
    },
    async *list() {
      yield* Array.from(bytes.keys())
    },
    discardUnfinished: async () => 0,
    close: async () => undefined,
  }
}

const nodeNames: Partial<Record<DigestAlgorithm, string>> = { MD5: 'md5', SHA1: 'sha1', SHA256: 'sha256' }

/** MD5, SHA-1, SHA-256 and CRC-32; the other CRCs are the adapters' business. */
export const hashing: Hashing = {
  create(algorithm): Digest {
    const nodeName = nodeNames[algorithm]
    if (nodeName !== undefined) {
      const hash = createHash(nodeName)
      return { update: (chunk) => void hash.update(chunk), finish: () => Uint8Array.from(hash.digest()) }
    }
    if (algorithm !== 'CRC32') throw new TypeError(`The tests of the core have no ${algorithm}.`)
    let value = 0
    return {
      update: (chunk) => {
        value = crc32(chunk, value)
      },
      finish: () => {
        const bytes = Buffer.alloc(4)
        bytes.writeUInt32BE(value)
        return Uint8Array.from(bytes)
      },
    }
  },
  sha256: (bytes) => createHash('sha256').update(bytes).digest('base64url'),
  crc32: (bytes, seed = 0) => crc32(bytes, seed),
}
