import { beforeEach, describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { varve } from './run-main.fixture.ts'

const scratch = scratchDirectory()
let dir: string
let then: number

beforeEach(async () => {
  dir = scratch.next()
  const store = await openStore(dir, { sweepEveryMs: 0, retentionMs: 1_000_000_000 })
  await store.buckets.create('photos', { versioning: 'Enabled' })
  for (const key of ['a/gone', 'a/changed', 'b/other']) await store.objects.put('photos', key, 'one')
  then = store.seq
  await store.objects.delete('photos', 'a/gone')
  await store.objects.put('photos', 'a/changed', 'changed')
  await store.objects.put('photos', 'a/new', 'new')
  await store.objects.delete('photos', 'b/other')
  await store.close()
})

async function* typed(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

const restore = (args: readonly string[], input = '') =>
  varve(['restore', 's3://photos/a/', '--to', String(then), '--dir', dir, ...args], typed(input))
const plan = ['+ a/changed  3 bytes, bytes', '+ a/gone  3 bytes', '- a/new  3 bytes']

describe('varve restore', () => {
  it('shows its plan, asks, and restores what the answer allows', async () => {
    const { status, stdout, stderr } = await restore([], 'yes\n')
    expect([status, stdout.trim().split('\n')]).toEqual([0, [...plan, `Restored 3 keys to position ${then}.`]])
    expect(stderr).toBe('Change 3 keys? Answer "yes" to go on.\n')
    const { stdout: listed } = await varve(['cat', 's3://photos/a/gone', '--dir', dir])
    expect(listed).toBe('one')
    expect((await restore(['--yes'])).stdout).toBe(
      `There is nothing to restore.\nRestored 0 keys to position ${then}.\n`,
    )
  })

  it.each(['', 'no\n', 'yes, but\n'])('changes nothing after the answer %j', async (answer) => {
    const { status, stderr } = await restore([], answer)
    expect([status, stderr]).toEqual([1, expect.stringContaining('Nothing was changed.')])
    expect((await restore(['--dry-run'])).stdout.trim().split('\n')).toEqual(plan)
  })

  it('is JSON for programs, which are not asked', async () => {
    expect(await restore(['--json'])).toMatchObject({ status: 2 })
    expect(await restore(['--dry-run', '--yes'])).toMatchObject({ status: 2 })
    const { stdout } = await restore(['--json', '--yes'])
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
    expect(lines.map(({ kind, action }) => action ?? kind)).toEqual(['add', 'add', 'remove', 'result'])
    expect(lines.at(-1)).toMatchObject({ to: then, id: expect.any(String) })
  })

  it('leaves its cause in the log, which the history of a key tells', async () => {
    await restore(['--yes'])
    const { stdout } = await varve(['history', 's3://photos/a/gone', '--dir', dir])
    expect(stdout.trim().split('\n').at(-1)).toContain(`restored to position ${then}`)
  })

  it('takes a deleted bucket back with its settings, after showing that', async () => {
    const store = await openStore(dir, { sweepEveryMs: 0 })
    await store.buckets.create('gone')
    await store.buckets.settings.put('gone', 'RequestPayment', 'Requester')
    await store.objects.put('gone', 'a', 'one')
    then = store.seq
    await store.buckets.settings.remove('gone', 'RequestPayment')
    await store.objects.delete('gone', 'a')
    await store.buckets.delete('gone')
    await store.close()
    const bring = (...args: readonly string[]) =>
      varve(['restore', 's3://gone', '--to', String(then), '--dir', dir, ...args], typed('yes\n'))
    expect(await bring('--yes')).toMatchObject({ status: 1, stderr: expect.stringContaining('NoSuchBucket') as string })
    const { stdout, stderr } = await bring('--deleted-bucket', '--settings')
    expect(stdout.trim().split('\n')).toEqual([
      '+ the bucket',
      '~ RequestPayment is set back',
      '+ a  3 bytes',
      `Restored the bucket, 1 setting, 1 key to position ${then}.`,
    ])
    expect(stderr).toBe('Change the bucket, 1 setting, 1 key? Answer "yes" to go on.\n')
  })
})
