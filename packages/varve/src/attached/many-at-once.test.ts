/** However many calls share one signal, Node does not warn of a leak: of a store here, of another process, and of a server. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { exportArchive, importArchive, importFolder } from '../archives/archives.ts'
import { storeAt } from '../cli/support/endpoint-option.ts'
import { served } from '../cli/served-store.fixture.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '@varve/core'
import type { AttachedStore } from './attached-store.ts'
import { attachStore } from './attach-store.ts'

const scratch = scratchDirectory()
/** Node warns at the eleventh listener. */
const count = 12
const content = new Uint8Array(50_000)

type Used = Pick<
  AttachedStore,
  'buckets' | 'objects' | 'versions' | 'uploads' | 'log' | 'history' | 'diff' | 'at' | 'undo' | 'deletePrefix'
> &
  Pick<AttachedStore, 'transaction' | 'subscribe' | 'close'>

const kinds: Readonly<Record<string, (dir: string, store: Store) => Promise<readonly [Used, () => Promise<void>]>>> = {
  'of this process': async (_dir, store) => [store as unknown as Used, async () => undefined],
  'of another process': async (dir) => {
    const attached = await attachStore(dir)
    return [attached, () => attached.close()]
  },
  'of a server': async (_dir, store) => {
    const server = await served(store)
    const remote = storeAt(new URL(server.args[1] ?? ''))
    return [
      remote,
      async () => {
        await remote.close()
        await server.close()
      },
    ]
  },
}

const drained = async (values: AsyncIterable<unknown>): Promise<void> => {
  for await (const _value of values);
}
/** Waits for what does not come, until the signal ends it. */
const followed = async (values: AsyncIterable<unknown>): Promise<void> => drained(values).catch(() => undefined)

async function* slowly(): AsyncGenerator<Uint8Array> {
  for (let n = 0; n < 5; n++) {
    await turn()
    yield content
  }
}

type Call = (store: Used, n: number, options: { readonly signal: AbortSignal }) => Promise<unknown>

const calls: Readonly<Record<string, Call>> = {
  put: ({ objects }, n, options) => objects.put('box', `k${n}`, content, options),
  'put of a stream': ({ objects }, n, options) => objects.put('box', `s${n}`, slowly(), options),
  get: async ({ objects }, n, options) => drained((await objects.get('box', `k${n}`, options)).body),
  head: ({ objects }, n, options) => objects.head('box', `k${n}`, options),
  copy: ({ objects }, n, options) => objects.copy({ bucket: 'box', key: `k${n}` }, 'box', `c${n}`, options),
  list: ({ objects }, _n, options) => drained(objects.list('box', options)),
  versions: ({ versions }, _n, options) => drained(versions.list('box', options)),
  upload: async ({ uploads }, n, options) => {
    const upload = await uploads.create('box', `u${n}`, options)
    const { etag } = await uploads.uploadPart(upload, 1, content, options)
    await uploads.complete(upload, [{ partNumber: 1, etag }], options)
  },
  log: (store, _n, options) => drained(store.log({ to: 3, ...options })),
  history: (store, n, options) => drained(store.history('box', `k${n}`, options)),
  diff: (store, _n, options) => drained(store.diff({ bucket: 'box' }, 1, 5, options)),
  undo: (store, _n, options) => store.undo({ from: 0, to: 3, dryRun: true, ...options }),
  'deletion of a prefix': (store, n, options) => store.deletePrefix('box', `k${n}`, options),
}

const following: Readonly<Record<string, (store: Used, n: number, signal: AbortSignal) => Promise<void>>> = {
  log: (store, _n, signal) => followed(store.log({ follow: true, signal })),
  subscription: (store, n, signal) => followed(store.subscribe(`s${n}`, { signal })),
}

let dir: string
let store: Store
let warnings: Error[]
const warned = (warning: Error): void => void warnings.push(warning)

beforeEach(async () => {
  dir = scratch.next()
  store = await openStore(dir)
  await store.buckets.create('box')
  warnings = []
  process.on('warning', warned)
})
afterEach(async () => {
  process.off('warning', warned)
  await store.close()
})

/** A signal that only these calls use, as those of `AbortSignal.any` are: no code has allowed it more listeners. */
const fresh = (controller = new AbortController()): AbortSignal => AbortSignal.any([controller.signal])

describe.each(Object.keys(kinds))('many calls with one signal, to a store %s', (kind) => {
  it('give no warning', async () => {
    const [used, end] = (await kinds[kind]?.(dir, store)) ?? []
    if (used === undefined) throw new Error('There is no such kind.')
    for (const [name, call] of Object.entries(calls)) {
      const signal = fresh()
      await Promise.all(Array.from({ length: count }, (_, n) => call(used, n, { signal })))
      expect([name, ...warnings.map(String)]).toEqual([name])
    }
    for (const [name, follow] of Object.entries(following)) {
      const controller = new AbortController()
      const all = Array.from({ length: count }, (_, n) => follow(used, n, controller.signal))
      await used.objects.put('box', 'last', 'x')
      controller.abort()
      await Promise.all(all)
      expect([name, ...warnings.map(String)]).toEqual([name])
    }
    await end?.()
  })

  it('give none in imports either', async () => {
    const [used, end] = (await kinds[kind]?.(dir, store)) ?? []
    if (used === undefined) throw new Error('There is no such kind.')
    const folder = scratch.next()
    await mkdir(folder)
    for (let n = 0; n < 16; n++) await writeFile(join(folder, String(n)), content)
    await importFolder(used as never, folder, { bucket: 'files', signal: fresh() })
    const archive = join(folder, 'files.tar')
    await exportArchive(used, archive, { bucket: 'files', signal: fresh() })
    await importArchive(used, archive, { bucket: 'again', signal: fresh() })
    expect(warnings).toEqual([])
    await end?.()
  })
})
