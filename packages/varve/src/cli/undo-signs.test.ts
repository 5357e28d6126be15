import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Store } from '@varve/core'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { varve } from './run-main.fixture.ts'

const scratch = scratchDirectory()
let dir: string
let store: Store

beforeEach(async () => {
  dir = scratch.next()
  store = await openStore(dir)
})
afterEach(() => store.close())

/** The sign and the place of each line. */
async function planned(requestId: string): Promise<readonly string[]> {
  const { stdout } = await varve(['undo', '--request', requestId, '--dry-run', '--dir', dir])
  return [...stdout.matchAll(/^[-+~] \S+/gm)].map(([line]) => line).toSorted()
}

it.each(['never set', 'Enabled', 'Suspended'] as const)(
  'the plan of an undo, and of its undo, shows what becomes of each object (versioning: %s)',
  async (versioning) => {
    await store.buckets.create('box')
    if (versioning !== 'never set') await store.buckets.setVersioning('box', versioning)
    await store.objects.put('box', 'changed', 'first')
    await store.objects.put('box', 'gone', 'first')
    const agent = store.as({ by: { id: 'agent', name: 'Agent' }, requestId: 'request-1' })
    await agent.objects.put('box', 'added', 'new')
    await agent.objects.put('box', 'changed', 'second')
    await agent.objects.delete('box', 'gone')
    expect(await planned('request-1')).toEqual(['+ s3://box/gone', '- s3://box/added', '~ s3://box/changed'])
    const { id = '' } = await store.undo({ requestId: 'request-1' })
    expect(await planned(id)).toEqual(['+ s3://box/added', '- s3://box/gone', '~ s3://box/changed'])
  },
)
