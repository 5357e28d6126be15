/** Eight clients at once, through the library and through HTTP: every key is linearizable, every listing one commit's. */
import type { Store } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { type TestService, httpService, libraryService, lostUpdates, staleReads, tornListings } from './apis.ts'
import { type Api, bucket, type History, runHistory } from './history.ts'
import { Bindings } from './bindings.ts'
import { randomFrom } from '../support/random.ts'
import { longest, seed } from './holds.ts'
import { unexplained } from './linearizable.ts'
import { type ShakyStore, shakyStore } from './shaky-store.ts'
import { size } from './sizes.ts'
import { tornListing } from './torn-listings.ts'

const histories = size('VARVE_HISTORIES', { short: 20, long: 1000 })
const operations = size('VARVE_HISTORY_OPERATIONS', { short: 300, long: 2000 })
/** The number of one to run again. */
const only = process.env['VARVE_HISTORY']
const clients = 8
const keys = ['a', 'b/1', 'b/2', 'c', 'd', 'e']

type OpenService = (store: Store, bindings: Bindings) => Promise<TestService>

interface Tried {
  readonly history: History
  readonly shaky: ShakyStore
  /** What is wrong with it, if anything. */
  readonly verdict: string | undefined
}

/** @param number Each has a seed of its own. */
async function tryHistory(
  openTestService: OpenService,
  number: number,
  { faults = true, engines = 1, lie = (api: Api): Api => api } = {},
): Promise<Tried> {
  const random = randomFrom(seed + number).below
  const shaky = await shakyStore({
    random,
    faultEvery: faults && number % 2 === 1 ? 100 : 0,
    engines,
    async prepare({ buckets }) {
      await buckets.create(bucket)
      if (number % 4 > 1) await buckets.setVersioning(bucket, 'Enabled')
    },
  })
  const bindings = new Bindings()
  const services = await Promise.all(
    Array.from({ length: engines }, (_, engine) => openTestService(shaky.storeOf(engine), bindings)),
  )
  const apis = services.map(({ api }, engine) => patient(lie(api), shaky, engine))
  try {
    const apiOf = (client: number) => apis[client % engines] as Api
    const history = await runHistory(apiOf, { clients, operations, keys, random, copies: !faults || number % 2 === 0 })
    for (let engine = 0; engine < engines; engine++) await shaky.ready(engine)
    return { history, shaky, verdict: await judge(shaky, history) }
  } finally {
    for (const service of services) await service.close()
    await shaky.close()
  }
}

/** Waits while the store is opened again. */
function patient(api: Api, shaky: ShakyStore, engine: number): Api {
  return {
    run: (command) => shaky.ready(engine).then(() => api.run(command)),
    get: (...of) => shaky.ready(engine).then(() => api.get(...of)),
    head: (...of) => shaky.ready(engine).then(() => api.head(...of)),
    copy: (...of) => shaky.ready(engine).then(() => api.copy(...of)),
    list: (...of) => shaky.ready(engine).then(() => api.list(...of)),
    versions: (...of) => shaky.ready(engine).then(() => api.versions(...of)),
  }
}

async function judge({ store }: ShakyStore, history: History): Promise<string | undefined> {
  for (const key of keys) {
    const wrong = unexplained(history.operations.filter((operation) => operation.key === key))
    if (wrong !== undefined) return `nothing explains ${JSON.stringify(wrong)}`
  }
  const torn = await tornListing(store, history)
  return torn && `no commit shows ${JSON.stringify(torn)}`
}

const services = [
  { title: 'through the library', share: 0.8, open: libraryService, engines: 1 },
  { title: 'through HTTP', share: 0.2, open: (store: Store) => httpService(store), engines: 1 },
  { title: 'through two engines on one journal', share: 1, open: libraryService, engines: 2 },
]

describe(`${clients} clients with ${operations} operations see one thing after the other`, () => {
  for (const { title, share, open, engines } of services) {
    const count = Math.ceil(histories * share)
    it(
      `${title}, in ${count} histories`,
      async () => {
        const seen = { faults: 0, unknown: 0, overlapping: 0, listings: 0 }
        for (const number of only === undefined ? Array(count).keys() : [Number(only)]) {
          const { history, shaky, verdict } = await tryHistory(open, number, { engines })
          const again = `VARVE_SEED=${seed} VARVE_HISTORY=${number} VARVE_HISTORY_OPERATIONS=${operations} npx vitest run test/model -t '${title}'`
          expect(verdict, again).toBeUndefined()
          seen.faults += shaky.faults
          seen.unknown += history.operations.filter(({ answer }) => answer === undefined).length
          seen.overlapping += history.operations.filter(({ called, returned }) => returned > called + 1).length
          seen.listings += history.listings.length
        }
        if (count >= 10 && only === undefined)
          expect(Object.entries(seen).filter(([, times]) => times === 0)).toEqual([])
      },
      longest,
    )
  }
})

describe('a server that lies is found out:', () => {
  const lies = [
    { title: 'a read that is stale', lie: staleReads, answers: /nothing explains .*"get"/ },
    { title: 'an update that is lost', lie: lostUpdates, answers: /nothing explains/ },
    { title: 'a listing put together of two', lie: tornListings, answers: /no commit shows/ },
  ]
  for (const { title, lie, answers } of lies) {
    it(title, async () => {
      let found: string | undefined
      for (let number = 0; number < 20 && found === undefined; number++) {
        const { verdict } = await tryHistory(libraryService, number, { faults: false, lie })
        found = verdict
      }
      expect(found).toMatch(answers)
    })
  }
})
