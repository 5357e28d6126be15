import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openStore } from 'varve'
import { inFlight, type Workload } from './workload.ts'

const body = Buffer.alloc(1024 * 1024, 'v')

export const getLarge: Workload = {
  name: 'get, 1 MiB, one at a time',
  against: 'fs.readFile',
  operations: 200,
  async prepare(directory, operations) {
    const store = await openStore(join(directory, 'varve'))
    await store.buckets.create('bench')
    await store.objects.put('bench', 'large', body)
    const path = join(directory, 'floor')
    await writeFile(path, body)
    return {
      varve: () => inFlight(1, operations, async () => (await store.objects.get('bench', 'large')).bytes()),
      floor: () => inFlight(1, operations, () => readFile(path)),
      close: () => store.close(),
    }
  },
}
