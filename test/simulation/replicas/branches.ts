/** Logs for the schedules of replicas: one history, and for each of its positions another one that leaves it there. */
import { memoryBlobs, memoryJournal, memoryMedium, nodeHashing, randomIds, systemClock } from '@varve/adapters'
import { type BlobStore, type Journal, openEngine, type Row, type StoredEvent } from '@varve/core'

/** A store of which only a first part of the log has been committed yet. */
export interface BranchLog {
  readonly events: readonly Uint8Array[]
  readonly blobs: BlobStore
  /** The journal as it is when `head()` events are committed. */
  journalAt(head: () => number): Journal
}

export interface Branches {
  readonly trunk: BranchLog
  /** By the last position that they share with the trunk. */
  readonly left: ReadonlyMap<number, BranchLog>
}

const options = { inlineMax: 8, retentionMs: 0 } as const
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
}

type Grow = (write: (n: number) => Promise<unknown>) => Promise<void>

async function grow(start: readonly Uint8Array[], rows: readonly Row[], work: Grow): Promise<Grown> {
  const journal = await memoryJournal(memoryMedium(), { exclusive: true })
  const blobs = memoryBlobs()
  if (start.length > 0) {
    const changes = rows.map(([key, value]) => ({ key, value }))
    await journal.commit({ expectedHead: 0, events: start, rows: changes })
  }
  const store = await openEngine(
    { journal, blobs, hashing: await nodeHashing(), ids: randomIds, clock: systemClock },
    options,
  )
  if (start.length === 0) {
    await store.buckets.create('box')
    // So nothing is erased.
    await store.buckets.setVersioning('box', 'Enabled')
  }
  // Every third one is a blob of its own.
  await work((n) =>
    store.objects.put('box', `key${n % 5}`, `text ${n} `.repeat(n % 3 === 0 ? 4 : 1).slice(0, n % 3 === 0 ? 40 : 8)),
  )
  await store.close()
  const events: Uint8Array[] = []
  for await (const { bytes } of journal.events()) events.push(Uint8Array.from(bytes))
  return branchOf(events, await sideRowsOf(journal), blobs)
}

/** Inline bytes and data keys. */
async function sideRowsOf(journal: Journal): Promise<readonly Row[]> {
  const cursor = journal.cursor({ gte: Uint8Array.of(0x80), lt: Uint8Array.of(0x82) })
  const rows: Row[] = []
  for (let page = await cursor.next(100); page.length > 0; page = await cursor.next(100)) rows.push(...page)
  await cursor.close()
  return rows
}

function branchOf(events: readonly Uint8Array[], sideRows: readonly Row[], blobs: BlobStore): Grown {
  const byKey = new Map(sideRows.map(([key, value]) => [Buffer.from(key).toString('latin1'), value]))
  const journalAt = (head: () => number): Journal => ({
    ...({} as Journal),
    head: async () => head(),
    get: async (key) => byKey.get(Buffer.from(key).toString('latin1')),
    getMany: async (keys) => keys.map((key) => byKey.get(Buffer.from(key).toString('latin1'))),
    async *events({ from = 1, to = head() } = {}) {
      for (let seq = from; seq <= Math.min(to, head()); seq++) yield { seq, bytes: events[seq - 1] } as StoredEvent
    },
  })
  return { events, sideRows, blobs, journalAt }
}

/** The blobs of the first part are those of the trunk. */
function joined(branch: Grown, trunk: BranchLog): BranchLog {
  const open: BlobStore['open'] = (id) => branch.blobs.open(id).catch(() => trunk.blobs.open(id))
  return { ...branch, blobs: { ...branch.blobs, open } }
}
