import { basename, dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { faultyFileSystem } from '../files/faulty-file-system.fixture.ts'
import { type Layout, layouts } from '../layouts/layout.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStoreDirectory } from './open-store-directory.ts'

const scratch = scratchDirectory()

/** Opens a store, commits once and marks it ready. The result has no calls that a database makes by itself. */
async function callsOfOpening(path: string, layout: Layout['name']): Promise<readonly string[]> {
  const { fs, trace } = faultyFileSystem(() => undefined)
  const store = await openStoreDirectory(path, { layout, fs })
  const head = await store.journal.head()
  if (store.created) await store.journal.commit({ expectedHead: head, events: [Uint8Array.of(7)], rows: [] })
  await store.markReady()
  const calls = trace.filter((call) => /^(mkdir|sync|datasync) /.test(call))
  store.markSound()
  await store.close()
  return calls
}

function expectedCalls(path: string, { journal, blobs }: Layout): readonly string[] {
  const [store, parent] = [basename(path), basename(dirname(path))]
  const segment = ['sync 0000000001.log.tmp', 'sync events', 'datasync 0000000001.log']
  return [
    `mkdir ${store}`,
    `sync ${parent}`,
    // FORMAT is durable before there is anything that needs it to be understood.
    'sync FORMAT.tmp',
    `sync ${store}`,
    'mkdir events',
    'mkdir blobs',
    'mkdir tmp',
    ...(blobs === 'files' ? [] : ['mkdir segments']),
    ...(journal === 'segments' ? ['mkdir views', 'sync views', ...segment] : []),
    // The names of all parts are durable before FORMAT says that they are there.
    'sync events',
    `sync ${store}`,
    'sync FORMAT.tmp',
    `sync ${store}`,
  ]
}

describe.each(layouts)('the opening of a store of $name', (layout) => {
  it('makes what a new store needs, with the syncs that it promises and no other', async () => {
    const path = scratch.next()
    const expected = expectedCalls(path, layout)
    // A journal also makes its directory for callers that have none.
    const calls = (await callsOfOpening(path, layout.name)).filter(
      (call, i, all) => call !== 'mkdir events' || all.indexOf(call) === i,
    )
    // The syncs of two directories run side by side, so their order is open.
    expect(calls.toSorted()).toEqual(expected.toSorted())
    expect(calls.slice(0, 5)).toEqual(expected.slice(0, 5))
    expect(calls.slice(-2)).toEqual(expected.slice(-2))
  })

  it('syncs nothing of an existing store but its broken seal', async () => {
    const path = scratch.next()
    await callsOfOpening(path, layout.name)
    const calls = await callsOfOpening(path, layout.name)
    expect(calls.filter((call) => !call.startsWith('mkdir'))).toEqual(['sync seal.tmp', `sync ${basename(path)}`])
  })
})
