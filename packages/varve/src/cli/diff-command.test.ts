import { beforeEach, describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { varve } from './run-main.fixture.ts'

const scratch = scratchDirectory()
let dir: string
let then: number

beforeEach(async () => {
  dir = scratch.next()
  const store = await openStore(dir, { sweepEveryMs: 0 })
  await store.buckets.create('photos')
  for (const key of ['a/gone', 'a/\u001b[31m', 'b/other']) await store.objects.put('photos', key, 'one')
  then = store.seq
  await store.objects.delete('photos', 'a/gone')
  await store.objects.put('photos', 'a/\u001b[31m', 'changed')
  await store.objects.put('photos', 'a/new', 'new')
  await store.objects.put('photos', 'b/other', 'too')
  await store.buckets.setVersioning('photos', 'Enabled')
  await store.close()
})

describe('varve diff', () => {
  it('shows each difference beneath a prefix in one line, safe for a terminal', async () => {
    const { status, stdout } = await varve(['diff', 's3://photos/a/', '--from', String(then), '--dir', dir])
    expect(status).toBe(0)
    expect(stdout.split('\n')).toEqual([
      '~ Versioning: not set -> "Enabled"',
      '~ a/\\x1b[31m  3 -> 7 bytes, bytes',
      '- a/gone  3 bytes',
      '+ a/new  3 bytes',
      '',
    ])
  })

  it('goes back in time as well, and is JSON for programs', async () => {
    const args = ['diff', 's3://photos/a/', '--from', 'now', '--to', String(then), '--dir', dir, '--json']
    const { stdout, stderr } = await varve(args)
    const kinds = stdout.trim().split('\n')
    expect(kinds.map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual([
      'setting',
      'changed',
      'added',
      'removed',
    ])
    expect(stderr).toMatch(/^As of .*: position \d+\.\n$/)
  })

  it('is wrong usage without a moment, and fails for a bucket that never was', async () => {
    expect(await varve(['diff', 's3://photos', '--dir', dir])).toMatchObject({ status: 2 })
    const { status, stderr } = await varve(['diff', 's3://never', '--from', '1', '--dir', dir])
    expect([status, stderr]).toEqual([1, expect.stringContaining('(NoSuchBucket)')])
  })
})
