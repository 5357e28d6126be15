import { mkdir, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { openStore } from 'varve'
import { inFlight, type Workload } from './workload.ts'

const width = 16
const body = Buffer.alloc(4096, 'v')

export const putSmall: Workload = {
  name: 'durable put, 4 KiB, 16 in flight',
  against: 'write, fsync, rename, fsync of the directory',
  operations: 2000,
  async prepare(directory, operations) {
    const store = await openStore(join(directory, 'varve'))
    await store.buckets.create('bench')
    const files = join(directory, 'floor')
    await mkdir(files)
    return {
      varve: (round) => inFlight(width, operations, (i) => store.objects.put('bench', `${round}/${i}`, body)),
      floor: (round) => inFlight(width, operations, (i) => writeDurably(files, `${round}-${i}`)),
      close: () => store.close(),
    }
  },
}

async function writeDurably(directory: string, name: string): Promise<void> {
  const path = join(directory, name)
  const file = await open(`${path}.tmp`, 'wx')
  await file.write(body)
  await file.sync()
  await file.close()
  await rename(`${path}.tmp`, path)
  const parent = await open(directory, 'r')
  await parent.sync()
  await parent.close()
}
