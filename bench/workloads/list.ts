import { join } from 'node:path'
import { levelJournal, openLevelDirectory } from '@varve/adapters'
import { openStore } from 'varve'
import { inFlight, type Workload } from './workload.ts'

export const list: Workload = {
  name: 'list a bucket, entries',
  against: 'raw scan of as many rows',
  operations: 20_000,
  async prepare(directory, operations) {
    const store = await openStore(join(directory, 'varve'))
    await store.buckets.create('bench')
    await inFlight(256, operations, (i) => store.objects.put('bench', `key-${i}`, 'v'))
    const raw = await levelJournal(await openLevelDirectory(join(directory, 'floor'), { createIfMissing: true }))
    const value = Buffer.alloc(250, 'v')
    const rows = Array.from({ length: operations }, (_, i) => ({ key: Buffer.from(`key-${i}`), value }))
    await raw.commit({ expectedHead: 0, events: [], rows })
    return {
      async varve() {
        for await (const _ of store.objects.list('bench'));
      },
      async floor() {
        const cursor = raw.cursor({ gte: Buffer.from('key'), lt: Buffer.from('kez') })
        while ((await cursor.next(1000)).length > 0);
        await cursor.close()
      },
      async close() {
        await store.close()
        await raw.close()
      },
    }
  },
}
