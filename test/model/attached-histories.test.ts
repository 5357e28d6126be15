/** Eight clients at once, in two processes that are attached to a third one: every key is linearizable, every listing one commit's. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '@varve/core'
import { attachStore, openStore } from 'varve'
import { describe, expect, it } from 'vitest'
import { libraryService } from './apis.ts'
import { Bindings } from './bindings.ts'
import { bucket, runHistory } from './history.ts'
import { longest, seed } from './holds.ts'
import { unexplained } from './linearizable.ts'
import { startOwner } from './owner-process.ts'
import { randomFrom } from '../support/random.ts'
import { size } from './sizes.ts'
import { tornListing } from './torn-listings.ts'

const histories = size('VARVE_ATTACHED_HISTORIES', { short: 2, long: 100 })
const operations = size('VARVE_HISTORY_OPERATIONS', { short: 300, long: 2000 })
const keys = ['a', 'b/1', 'b/2', 'c', 'd', 'e']

describe('clients of attached stores see one thing after the other', () => {
  it(
    `in ${histories} histories of ${operations} operations`,
    async () => {
      for (let number = 0; number < histories; number++) expect(await verdictOf(number)).toBeUndefined()
    },
    longest,
  )
})

async function verdictOf(number: number): Promise<string | undefined> {
  const random = randomFrom(seed + number).below
  const dir = await mkdtemp(join(tmpdir(), 'varve-attached-'))
  const owner = await startOwner(dir)
  try {
    const attached = await Promise.all([attachStore(dir), attachStore(dir)])
    const bindings = new Bindings()
    // What these calls use of a store, an attached one has too.
    const services = await Promise.all(attached.map((store) => libraryService(store as unknown as Store, bindings)))
    await attached[0].buckets.create(bucket)
    const apiOf = (client: number) => (services[client % 2] as (typeof services)[number]).api
    const history = await runHistory(apiOf, { clients: 8, operations, keys, random, copies: true })
    for (const store of attached) await store.close()
    await owner.kill()
    for (const key of keys) {
      const wrong = unexplained(history.operations.filter((operation) => operation.key === key))
      if (wrong !== undefined) return `history ${number}: nothing explains ${JSON.stringify(wrong)}`
    }
    const store = await openStore(dir, { create: false })
    const torn = await tornListing(store, history)
    await store.close()
    expect(history.listings.length).toBeGreaterThan(0)
    return torn && `history ${number}: no commit shows ${JSON.stringify(torn)}`
  } finally {
    await owner.kill()
    await rm(dir, { recursive: true, force: true })
  }
}
