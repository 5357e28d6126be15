import { afterEach, beforeEach, describe, expect, it } from 'vitest'
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
  await store.buckets.create('photos', { versioning: 'Enabled' })
  await store
    .as({ by: { id: 'agent-7', name: 'Tidy agent' }, requestId: 'request-1' })
    .objects.put('photos', 'a', 'text')
})
afterEach(() => store.close())

const run = (...args: readonly string[]) => varve([...args, '--dir', dir])

describe('an actor', () => {
  it('is shown by name and id', async () => {
    expect((await run('log')).stdout).toContain('by Tidy agent (agent-7)\n')
    expect((await run('log')).stdout).toContain('by local\n')
  })

  it.each(['agent-7', 'Tidy agent'])('is chosen by %s', async (by) => {
    expect((await run('log', '--by', by)).stdout.trim().split('\n')).toHaveLength(1)
    expect(await run('undo', '--by', by, '--yes')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Made 1 change') as string,
    })
  })
})

describe('what the log does not have', () => {
  it.each([
    [['log', '--by', 'Tiny agent'], 'an actor Tiny agent. Did you mean Tidy agent?'],
    [['log', '--request', 'request-2'], 'a request request-2. Did you mean request-1?'],
    [['log', '--bucket', 'photo'], 'a bucket photo. Did you mean photos?'],
    [['log', '--bucket', 'photo', '--json'], 'Did you mean photos?'],
    [['undo', '--by', 'agent-8', '--dry-run'], 'an actor agent-8. Did you mean agent-7?'],
    [['undo', '--request', 'nothing-like-it', '--yes'], 'a request nothing-like-it.'],
    [['undo', 's3://videos', '--by', 'agent-7', '--dry-run'], 'a bucket videos.'],
  ])('is an error, with what is near: %j', async (args, expected) => {
    expect(await run(...args)).toMatchObject({ status: 1, stderr: expect.stringContaining(expected) as string })
  })

  it.each([
    [['log', '--by', 'agent-7', '--since', 'now']],
    [['log', '--bucket', 'photos', '--type', 'VersionRemoved']],
    [['undo', '--by', 'agent-7', '--since', 'now', '--dry-run']],
  ])('is another matter than nothing in a period: %j', async (args) => {
    expect(await run(...args)).toMatchObject({ status: 0 })
  })
})
