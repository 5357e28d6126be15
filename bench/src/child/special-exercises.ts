/** Exercises that only a store can run: other kinds of listings, the log, opening and closing. */
import { memoryJournal } from '@varve/adapters'
import type { Store } from 'varve'
import type { Layout } from '../plan/layouts.ts'
import { randomFrom } from '../basics/random.ts'
import { rowName } from '../targets/raw-level.ts'
import { bucket } from '../targets/store-target.ts'
import type { SpecialName, SpecialWorkload } from '../workloads/workload.ts'
import { type Exercise, inFlight, WrongAnswer } from './exercise.ts'
import { completeUpload, leastPartBytes, smallPartBytes } from './complete-upload.ts'

export interface Subject {
  readonly layout: Layout
  readonly directory: string
  readonly workload: SpecialWorkload
  readonly seed: number
}

const fillWidth = 64
const small = Buffer.alloc(100, 'v')
/** Larger than an inline blob, so that there are stored bytes to erase. */
const swept = 40 * 1024

const exercises: Record<SpecialName, (store: Store, subject: Subject) => Promise<Exercise>> = {
  'list-delimiter': async (store, { workload: { items } }) => {
    await fill(store, items)
    return {
      async operate() {
        const { entries } = await store.objects.listPage(bucket, { delimiter: '/' })
        expectCount('prefixes', entries.length, Math.min(10, items))
        return { units: 1 }
      },
      close: () => store.close(),
    }
  },

  'list-versions': async (store, { workload: { items } }) => {
    await store.buckets.setVersioning(bucket, 'Enabled')
    const keys = Math.max(1, Math.floor(items / 10))
    for (let version = 0; version < 10; version++) await fill(store, keys)
    let page: Parameters<Store['versions']['listPage']>[1] = {}
    return {
      async operate() {
        const { entries, isTruncated, last } = await store.versions.listPage(bucket, page)
        expectCount('versions', entries.length, isTruncated ? 1000 : entries.length)
        page =
          isTruncated && last ? { keyMarker: last.key, ...(last.versionId && { versionIdMarker: last.versionId }) } : {}
        return { units: entries.length }
      },
      close: () => store.close(),
    }
  },

  'delete-sweep': async (store, { workload: { items }, seed }) => {
    const body = Buffer.alloc(swept)
    randomFrom(seed).fill(body)
    const keys = Array.from({ length: items }, (_, i) => ({ key: rowName(i, items) }))
    return {
      before: () => inFlight(16, items, (i) => store.objects.put(bucket, rowName(i, items), body)),
      async operate() {
        for (const outcome of await store.objects.deleteMany(bucket, keys)) if ('error' in outcome) throw outcome.error
        await store.sweep()
        return { units: items }
      },
      close: () => store.close(),
    }
  },

  replay: async (store, { workload: { items } }) => {
    await fill(store, items)
    return {
      async operate() {
        const journal = await memoryJournal()
        await store.replay(journal)
        await journal.close()
        return { units: store.seq }
      },
      close: () => store.close(),
    }
  },

  rebuild: async (store, { workload: { items } }) => {
    await fill(store, items)
    return {
      async operate() {
        await store.rebuild()
        const { entries } = await store.objects.listPage(bucket)
        expectCount('objects', entries.length, Math.min(1000, items))
        return { units: store.seq }
      },
      close: () => store.close(),
    }
  },

  reopen: async (first, { workload: { items }, layout, directory }) => {
    let store = first
    await fill(store, items)
    const { seq } = store
    return {
      async operate() {
        await store.close()
        const began = performance.now()
        store = await layout.open(directory)
        const countedMs = performance.now() - began
        expectCount('events', store.seq, seq)
        return { units: 1, countedMs }
      },
      close: () => store.close(),
    }
  },

  'complete-upload': async (store, { workload, seed }) => completeUpload(store, workload, seed, leastPartBytes),

  'complete-upload-10000': async (store, { workload, seed }) => completeUpload(store, workload, seed, smallPartBytes),
}

export async function specialExercise(subject: Subject): Promise<Exercise> {
  const store = await subject.layout.open(subject.directory)
  try {
    await store.buckets.create(bucket)
    return await exercises[subject.workload.special](store, subject)
  } catch (error) {
    await store.close()
    throw error
  }
}

const fill = (store: Store, items: number): Promise<void> =>
  inFlight(fillWidth, items, (i) => store.objects.put(bucket, rowName(i, items), small))

function expectCount(what: string, count: number, expected: number): void {
  if (count !== expected) throw new WrongAnswer(`There are ${count} ${what}, not ${expected}.`)
}
