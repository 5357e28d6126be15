/** A store in a directory that grows by many objects at a time, and a store in PostgreSQL that gets the same commits. */
import { openStoreDirectory } from '@varve/adapters'
import { openPostgresJournal } from '@varve/adapters/postgres'
import type { Journal } from '@varve/core'
import { openStore } from 'varve'
import { CopiedCommits } from './copied-commits.ts'
import type { DatabaseClient } from './node-database.ts'
import { putGroup } from './put-group.ts'

export interface LargeStore {
  /** The position of its last event. */
  readonly seq: number
  /** Puts empty objects until the log has so many events. */
  growTo(events: number): Promise<void>
  /** From then on a server can open the directory. */
  close(): Promise<void>
}

export const bucket = 'many'
/** The keys are below so many prefixes, in turns, so neighbours in a listing were not written together. */
export const prefixes = 1000
export const keyAt = (position: number): string =>
  `${String(position % prefixes).padStart(4, '0')}/key-${String(position).padStart(9, '0')}`

const groupMax = 5000

/** `address` and `schema` say where the store in PostgreSQL is made. Nodes may read it, but must not write to it. */
export async function openLargeStore(
  directory: string,
  { address, schema, client }: { readonly address: string; readonly schema: string; readonly client: DatabaseClient },
): Promise<LargeStore> {
  const made = await openPostgresJournal({ connectionString: address, schema })
  const there = await made.head()
  await made.close()
  const opened = await openStoreDirectory(directory)
  const copies = new CopiedCommits(client, schema, there)
  const { journal } = opened
  const copied: Journal = {
    ...journal,
    async commit(commit) {
      await journal.commit(commit)
      await copies.add(commit)
    },
  }
  const store = await openStore({ journal: copied, blobs: opened.blobs }, { groupMax, sweepOrphans: false })
  await opened.markReady()
  await store.buckets.create(bucket)
  return {
    get seq() {
      return store.seq
    },
    async growTo(events) {
      while (store.seq < events) await putGroup(store, Math.min(events - store.seq, groupMax), { bucket, keyAt })
      await copies.flush()
    },
    async close() {
      await store.close()
      await opened.close()
    },
  }
}
