import { join } from 'node:path'
import { openStore, type VarveStore } from 'varve'
import { inFlight, type Workload } from './workload.ts'

const parts = 5
const partBytes = Buffer.alloc(5 * 1024 * 1024, 'p')

export const completeUpload: Workload = {
  name: `complete an upload of ${parts} parts`,
  against: 'durable put of 64 bytes',
  operations: 4,
  async prepare(directory, operations) {
    const store = await openStore(join(directory, 'varve'))
    await store.buckets.create('bench')
    const ready = new Map<number, Awaited<ReturnType<typeof uploadParts>>[]>()
    const uploadsOf = async (round: number) => {
      const made: Awaited<ReturnType<typeof uploadParts>>[] = []
      for (let i = 0; i < operations; i++) made.push(await uploadParts(store, `${round}/${i}`))
      ready.set(round, made)
    }
    for (let round = 0; round < 6; round++) await uploadsOf(round)
    return {
      varve: (round) =>
        inFlight(1, operations, (i) => {
          const made = ready.get(round)?.[i]
          if (made === undefined) throw new Error(`Round ${round} was not made ready.`)
          return store.uploads.complete(made.upload, made.done)
        }),
      floor: (round) =>
        inFlight(1, operations, (i) => store.objects.put('bench', `floor/${round}/${i}`, 'v'.repeat(64))),
      close: () => store.close(),
    }
  },
}

async function uploadParts(store: VarveStore, key: string) {
  const upload = await store.uploads.create('bench', key)
  const done = []
  for (let number = 1; number <= parts; number++) done.push(await store.uploads.uploadPart(upload, number, partBytes))
  return { upload, done }
}
