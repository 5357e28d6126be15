import { describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { varve } from './run-main.fixture.ts'
import { served } from './served-store.fixture.ts'

const scratch = scratchDirectory()
const hour = 3_600_000

/** What the commands of one store print, whether it is closed or open in another process. */
const session: readonly (readonly [args: string, shown: string])[] = [
  ['retention show', 'Removed bytes are kept for 30 days within 10% of the medium: stated for the store, event 1.\n'],
  [
    'retention set 7d --budget 5GiB --grace 0 --yes',
    'Removed bytes are kept for 7 days within 5368709120 bytes: stated for the store, event 3.\n',
  ],
  [
    'retention show s3://photos',
    'Removed bytes are kept for 7 days within 5368709120 bytes: stated for the store, event 3.\n',
  ],
  ['retention set 0 s3://photos --grace 0 --yes', 'Removed bytes are not kept: stated for the bucket, event 4.\n'],
  [
    'retention remove s3://photos',
    'Removed bytes are kept for 7 days within 5368709120 bytes: stated for the store, event 3.\n',
  ],
  ['usage s3://photos', '0 bytes live, 0 kept, 0 pinned\n'],
]

describe('varve retention and varve usage', () => {
  it('show and state what counts, on a closed store as on an open one, and the log says who did', async () => {
    for (const isOpen of [false, true]) {
      const dir = scratch.next()
      const store = await openStore(dir)
      await store.buckets.create('photos')
      if (!isOpen) await store.close()
      for (const [args, shown] of session) {
        expect(await varve([...args.split(' '), '--dir', dir]), args).toMatchObject({ status: 0, stdout: shown })
      }
      const { stdout } = await varve(['log', '--from', '3', '--to', '3', '--dir', dir])
      expect(stdout).toContain('keeps removed bytes for 7 days, within 5368709120 bytes  by local')
      await store.close()
    }
  })

  it('erase nothing by themselves: the owner does, when it sweeps', async () => {
    const dir = scratch.next()
    const first = await openStore(dir, { inlineMax: 0 })
    await first.buckets.create('photos')
    await first.objects.put('photos', 'a', 'bytes')
    await first.objects.delete('photos', 'a')
    await first.close()
    expect(await varve(['retention', 'set', '0', '--yes', '--grace', '0', '--dir', dir])).toMatchObject({ status: 0 })
    expect((await varve(['usage', '--json', '--dir', dir])).stdout).toMatch(/"live":0,"kept":5,"pinned":0,"free":\d+/)
    const again = await openStore(dir)
    await again.sweep()
    expect(await again.usage()).toMatchObject({ live: 0, kept: 0 })
    await again.close()
  })

  it('show what a shorter one erases, ask, and give a day to take it back', async () => {
    const dir = scratch.next()
    const store = await openStore(dir, { inlineMax: 0 })
    await store.buckets.create('photos')
    await store.objects.put('photos', 'a', 'bytes')
    await store.objects.delete('photos', 'a')
    const { seq } = store
    const erases = 'This erases 1 removed content (5 bytes) for good, beginning 1 day from now.\n'
    const set = (...more: readonly string[]) => varve(['retention', 'set', '0', '--dir', dir, ...more])
    expect(await set('--dry-run')).toMatchObject({ status: 0, stdout: erases })
    expect(await set()).toMatchObject({
      status: 1,
      stdout: erases,
      stderr: expect.stringContaining('Nothing was changed.') as string,
    })
    expect(store.seq).toBe(seq)
    const { stdout } = await set('--yes')
    expect(stdout).toMatch(
      /^Removed bytes are not kept: .* Until .*: Removed bytes are kept for 30 days within 10% of the medium\.\n$/,
    )
    await store.sweep()
    expect(await store.usage()).toMatchObject({ kept: 5 })
    // What is longer is not asked about.
    expect(await varve(['retention', 'set', '90d', '--dir', dir])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('90 days') as string,
    })
    await store.close()
  })

  it.each([
    ['retention set soon', 2],
    ['retention set 3m', 2],
    ['retention set 1s --json', 2],
    ['retention set 1s --grace 3m --yes', 2],
    ['retention set 1d --budget 0%', 2],
    ['retention set 1d --budget 101%', 2],
    ['retention set 1d s3://photos/a', 2],
    ['retention set 1d s3://photos --budget 10%', 1],
    ['retention set 1d s3://absent', 1],
    ['retention remove', 2],
    ['usage s3://photos/a', 2],
  ])('refuse %s', async (args, status) => {
    const dir = scratch.next()
    const store = await openStore(dir)
    await store.buckets.create('photos')
    expect(await varve([...args.split(' '), '--dir', dir])).toMatchObject({ status, stdout: '' })
    expect(store.seq).toBe(2)
    await store.close()
  })

  it('are shown by a server, which states nothing for a client that is elsewhere', async () => {
    const store = await openStore(scratch.next(), { retentionMs: hour })
    const server = await served(store)
    expect((await varve(['retention', 'show', '--json', ...server.args])).stdout).toContain(`"keepMs":${hour}`)
    expect((await varve(['usage', ...server.args])).stdout).toMatch(/^0 bytes live, 0 kept, 0 pinned, \d+ free\n$/)
    expect(await varve(['retention', 'set', '0', ...server.args])).toMatchObject({ status: 2 })
    await server.close()
    await store.close()
  })
})
