/** Logs for the schedules of replicas: one history, and for each of its positions another one that leaves it there. */
import { memoryBlobs, memoryJournal, memoryMedium, nodeHashing, randomIds, systemClock } from '@varve/adapters'
import {
  type BlobId,
  type BlobStore,
  type Journal,
  openEngine,
  type RecordedEvent,
  type Row,
  type RowChange,
  type RowSnapshot,
  type Store,
  type StoreCommit,
  type StoredEvent,
  type Tip,
  tipAt,
} from '@varve/core'

/** A store of which only a first part of the log has been committed yet. */
export interface BranchLog {
  readonly events: readonly Uint8Array[]
  /** An event as it is committed, with the rows that it brings. */
  commitOf(seq: number): StoreCommit
  /** The event that freed the bytes: a sweep may erase them. */
  readonly freed: ReadonlyMap<BlobId, number>
  /** The event that says that the bytes are erased, and whether somebody had them erased. */
  readonly erased: ReadonlyMap<BlobId, ErasedIn>
  /** The journal and the blobs as they are when `head()` events are committed, without the bytes that are gone. */
  partsAt(head: () => number, isGone: (id: BlobId) => boolean): { readonly journal: Journal; readonly blobs: BlobStore }
}

export interface ErasedIn {
  readonly seq: number
  readonly isRequested: boolean
}

export interface Branches {
  readonly trunk: BranchLog
  /** By the last position that they share with the trunk. */
  readonly left: ReadonlyMap<number, BranchLog>
}

const options = { inlineMax: 8, retentionMs: 1e12 } as const
const trunkWrites = 40
const branchWrites = 16

export async function growBranches(): Promise<Branches> {
  const trunk = await grow([], [], async (write) => {
    for (let n = 0; n < trunkWrites; n++) await write(n)
  })
  const left = new Map<number, BranchLog>()
  for (let position = 3; position < trunk.events.length; position++) {
    const branch = await grow(trunk.events.slice(0, position), trunk.sideRows, async (write) => {
      for (let n = 0; n < branchWrites; n++) await write(100 * position + n)
    })
    left.set(position, joined(branch, trunk))
  }
  return { trunk, left }
}

interface Grown extends BranchLog {
  readonly sideRows: readonly Row[]
  readonly allBlobs: BlobStore
}

/** Rows that a commit changed, and the last event after it. */
interface RowsOfCommit {
  readonly head: number
  readonly rows: readonly RowChange[]
}

type Grow = (write: (n: number) => Promise<unknown>) => Promise<void>

async function grow(start: readonly Uint8Array[], rows: readonly Row[], work: Grow): Promise<Grown> {
  const { journal, sideRows, commits } = rememberingRows(await memoryJournal(memoryMedium(), { exclusive: true }))
  // What is erased is gone when a schedule says so.
  const blobs: BlobStore = Object.assign(memoryBlobs(), { delete: async () => undefined })
  if (start.length > 0) {
    const changes = rows.map(([key, value]) => ({ key, value }))
    await journal.commit({ expectedHead: 0, events: start, rows: changes })
  }
  const hashing = await nodeHashing()
  const store = await openEngine({ journal, blobs, hashing, ids: randomIds, clock: systemClock }, options)
  if (start.length === 0) {
    await store.buckets.create('box')
    await store.buckets.create('swept')
    await store.retention.set({ keepMs: 0 }, { bucket: 'swept' })
  }
  await work((n) => write(store, n))
  const recorded: RecordedEvent[] = []
  for await (const event of store.log()) recorded.push(event)
  await store.close()
  const events: Uint8Array[] = []
  for await (const { bytes } of journal.events()) events.push(Uint8Array.from(bytes))
  const tips = await Promise.all(events.map((_, i) => tipAt({ journal, hashing }, i + 1)))
  return branchOf({ events, recorded, tips, sideRows, commits, blobs })
}

/** Every third one is a blob of its own, and every seventh write has one erased that was overwritten. */
async function write(store: Store, n: number): Promise<void> {
  const text = `text ${n} `
  await store.objects.put('box', `key${n % 5}`, n % 3 === 0 ? text.repeat(4).slice(0, 40) : text.slice(0, 8))
  if (n % 4 === 3) {
    await store.objects.put('swept', `key${n % 2}`, n % 8 === 3 ? `swept ${n}` : 'swept')
    await store.sweep()
  }
  if (n % 7 === 6) await store.erase({ bucket: 'box', key: `key${n % 5}` })
}

/** Inline bytes and data keys, also those that were erased again, and what each commit changed. */
function rememberingRows(journal: Journal): {
  readonly journal: Journal
  readonly sideRows: Row[]
  readonly commits: RowsOfCommit[]
} {
  const sideRows: Row[] = []
  const commits: RowsOfCommit[] = []
  const commit: Journal['commit'] = async (given) => {
    commits.push({ head: (given.expectedHead ?? 0) + given.events.length, rows: given.rows })
    for (const { key, value } of given.rows)
      if (value !== null && key[0] !== undefined && key[0] >= 0x80 && key[0] < 0x82) sideRows.push([key, value])
    await journal.commit(given)
  }
  return { journal: Object.assign(Object.create(journal) as Journal, { commit }), sideRows, commits }
}

interface GrownParts {
  readonly events: readonly Uint8Array[]
  readonly recorded: readonly RecordedEvent[]
  readonly tips: readonly Tip[]
  readonly sideRows: readonly Row[]
  readonly commits: readonly RowsOfCommit[]
  readonly blobs: BlobStore
}

function branchOf({ events, recorded, tips, sideRows, commits, blobs }: GrownParts): Grown {
  const byKey = new Map(sideRows.map(([key, value]) => [Buffer.from(key).toString('latin1'), value]))
  const erased = erasedBy(recorded)
  const partsAt: BranchLog['partsAt'] = (head, isGoneHere) => {
    const isGone = (id: BlobId): boolean =>
      isGoneHere(id) || (erased.get(id)?.seq ?? Number.POSITIVE_INFINITY) <= head()
    const rowOf = (key: Uint8Array): Uint8Array | undefined => {
      const name = Buffer.from(key).toString('latin1')
      return isGone(/[0-9a-f]{32}/.exec(name)?.[0] ?? '') ? undefined : byKey.get(name)
    }
    const journal: Journal = {
      ...({} as Journal),
      head: async () => head(),
      get: async (key) => rowOf(key),
      getMany: async (keys) => keys.map(rowOf),
      snapshot: async () => viewsAt(commits, head()),
      async *events({ from = 1, to = head() } = {}) {
        for (let seq = from; seq <= Math.min(to, head()); seq++) yield { seq, bytes: events[seq - 1] } as StoredEvent
      },
    }
    return { journal, blobs: { ...blobs, open: (id) => blobs.open(isGone(id) ? '0'.repeat(32) : id) } }
  }
  const changes = sideRows.map(([key, value]) => ({ key, value }))
  const commitOf: BranchLog['commitOf'] = (seq) => {
    const [event, bytes, end] = [recorded[seq - 1], events[seq - 1], tips[seq - 1]]
    if (event === undefined || bytes === undefined || end === undefined) throw new Error(`There is no event ${seq}.`)
    return { recordings: [{ event, bytes }], sideRows: changes, end }
  }
  return { events, commitOf, sideRows, allBlobs: blobs, freed: freedBy(recorded), erased, partsAt }
}

/** The rows of the views after the last commit up to an event. */
function viewsAt(commits: readonly RowsOfCommit[], head: number): RowSnapshot {
  const rows = new Map<string, Row>()
  for (const commit of commits) {
    if (commit.head > head) break
    for (const { key, value } of commit.rows) {
      const name = Buffer.from(key).toString('latin1')
      if (value === null) rows.delete(name)
      else if (key[0] !== undefined && key[0] < 0x80) rows.set(name, [key, value])
    }
  }
  const sorted = [...rows.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  return {
    get: (key) => rows.get(Buffer.from(key).toString('latin1'))?.[1],
    getMany: async () => [],
    cursor: () => ({
      next: async (count) => sorted.splice(0, count),
      seek: () => undefined,
      close: async () => undefined,
    }),
    close: async () => undefined,
  }
}

function erasedBy(events: readonly RecordedEvent[]): ReadonlyMap<BlobId, ErasedIn> {
  const erased = new Map<BlobId, ErasedIn>()
  const requested = new Set<number>()
  for (const [i, { seq, type, data }] of events.entries()) {
    if (type === 'ErasureStarted' && events[i - 1]?.type === 'ErasureRequested')
      for (const { freedBy } of data.contents) requested.add(freedBy)
    if (type !== 'ContentsErased') continue
    for (const { content, freedBy } of data.erased)
      if (content.kind === 'blob') erased.set(content.blob.id, { seq, isRequested: requested.has(freedBy) })
  }
  return erased
}

/** A write of an object frees the bytes of the one before. */
function freedBy(events: readonly RecordedEvent[]): ReadonlyMap<BlobId, number> {
  const freed = new Map<BlobId, number>()
  const current = new Map<string, BlobId>()
  for (const { seq, type, data } of events) {
    if (type !== 'VersionAdded' || data.content.kind !== 'blob') continue
    const name = `${data.bucket}/${data.key}`
    const before = current.get(name)
    if (before !== undefined) freed.set(before, seq)
    current.set(name, data.content.blob.id)
  }
  return freed
}

/** The blobs of the first part are those of the trunk. */
function joined(branch: Grown, trunk: Grown): BranchLog {
  const open = branch.allBlobs.open.bind(branch.allBlobs)
  const either: BlobStore['open'] = (id) => open(id).catch(() => trunk.allBlobs.open(id))
  Object.assign(branch.allBlobs, { open: either })
  return branch
}
