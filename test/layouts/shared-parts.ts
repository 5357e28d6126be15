/** Stores on PostgreSQL and S3 for tests. VARVE_POSTGRES and VARVE_S3_BLOBS are the addresses of the servers. */
import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { openPostgresJournal } from '@varve/adapters/postgres'
import { openS3Blobs } from '@varve/adapters/s3'
import { openStore, type PartsStoreOptions, type Store } from 'varve'

/** The store of this directory, which has a schema and a prefix of its own. Its parts are closed after it. */
export async function openShared(dir: string, options: PartsStoreOptions): Promise<Store> {
  // Tests look for what a server has left there.
  await mkdir(dir, { recursive: true })
  const name = `store_${createHash('sha256').update(dir).digest('hex').slice(0, 32)}`
  const journal = await openPostgresJournal({ connectionString: addressIn('VARVE_POSTGRES'), schema: name })
  const blobs = await openS3Blobs({
    endpoint: addressIn('VARVE_S3_BLOBS'),
    region: 'eu',
    bucket: 'blobs',
    prefix: `${name}/`,
  })
  const store = await openStore({ journal, blobs }, options)
  const close = store.close.bind(store)
  const closeAll = async (): Promise<void> => {
    await close()
    await blobs.close()
    await journal.close()
  }
  return Object.defineProperty(store, 'close', { value: closeAll })
}

function addressIn(name: string): string {
  const address = process.env[name]
  if (address === undefined) throw new TypeError(`${name} must have the address of a server.`)
  return address
}
