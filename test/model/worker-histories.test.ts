/** Eight clients at once, through HTTP and two workers: every key is linearizable, every listing one commit's. */
import { describe, expect, it } from 'vitest'
import { openStore } from 'varve'
import { startWorkers } from '../acceptance/support/workers.ts'
import { serviceAt } from './apis.ts'
import { bucket, runHistory } from './history.ts'
import { randomFrom } from '../support/random.ts'
import { longest, seed } from './holds.ts'
import { unexplained } from './linearizable.ts'
import { size } from './sizes.ts'
import { tornListing } from './torn-listings.ts'

const histories = size('VARVE_WORKER_HISTORIES', { short: 2, long: 100 })
const operations = size('VARVE_HISTORY_OPERATIONS', { short: 300, long: 2000 })
const keys = ['a', 'b/1', 'b/2', 'c', 'd', 'e']

describe('clients of several workers see one thing after the other', () => {
  it(
    `through HTTP, in ${histories} histories of ${operations} operations`,
    async () => {
      for (let number = 0; number < histories; number++) expect(await verdictOf(number)).toBeUndefined()
    },
    longest,
  )
})

async function verdictOf(number: number): Promise<string | undefined> {
  const random = randomFrom(seed + number).below
  const server = await startWorkers(2)
  try {
    const service = serviceAt(server)
    await service.api.run({ type: 'createBucket', name: 'bucket', bucket })
    const history = await runHistory(() => service.api, { clients: 8, operations, keys, random, copies: true })
    await service.close()
    for (const key of keys) {
      const wrong = unexplained(history.operations.filter((operation) => operation.key === key))
      if (wrong !== undefined) return `history ${number}: nothing explains ${JSON.stringify(wrong)}`
    }
    await server.halt()
    const store = await openStore(server.dir, { create: false })
    const torn = await tornListing(store, history)
    await store.close()
    expect(history.listings.length).toBeGreaterThan(0)
    return torn && `history ${number}: no commit shows ${JSON.stringify(torn)}`
  } finally {
    await server.stop()
  }
}
