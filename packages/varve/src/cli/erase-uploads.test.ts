/** `varve erase --uploads`, on a closed store and on one that another process has open. */
import { readFile } from 'node:fs/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '@varve/core'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { varve } from './run-main.fixture.ts'

const scratch = scratchDirectory()

let dir: string
/** A file beside the store. */
const beside = (name: string) => `${dir}-${name}`
const run = (...args: readonly string[]) => varve([...args, '--dir', dir])
const open = () => openStore(dir, { retentionMs: 1e9, sweepEveryMs: 0 })

beforeEach(async () => {
  dir = scratch.next()
  const store = await open()
  await store.buckets.create('photos')
  await store.objects.put('photos', 'in/removed', 'removed')
  await store.objects.delete('photos', 'in/removed')
  await store.close()
})

/** An upload in progress with a part that was replaced. */
async function begin(store: Store, key: string): Promise<string> {
  const upload = await store.uploads.create('photos', key)
  for (const body of ['secret', 'harmless']) await store.uploads.uploadPart(upload, 1, body)
  return upload.uploadId
}

describe.each([{ isOpen: false }, { isOpen: true }])('varve erase --uploads, open elsewhere: $isOpen', ({ isOpen }) => {
  /** Begins an upload of each key, and runs the commands on the store. */
  async function withUploads(keys: readonly string[], use: (ids: readonly string[]) => Promise<void>): Promise<void> {
    const store = await open()
    const ids: string[] = []
    for (const key of keys) ids.push(await begin(store, key))
    if (!isOpen) await store.close()
    try {
      await use(ids)
    } finally {
      if (isOpen) await store.close()
    }
  }

  it('erases the uploads of a key, and shows before which they are', () =>
    withUploads(['in/secret'], async ([id]) => {
      const planned = await run('erase', 's3://photos/in/secret', '--uploads', '--dry-run')
      expect(planned).toMatchObject({ status: 0, stderr: '' })
      expect(planned.stdout).toMatch(
        new RegExp(
          `^- s3://photos/in/secret  upload ${id} of event \\d+  2 parts, 14 bytes  in progress\\nUploads: 1 to erase, 0 stay\\.\\n$`,
        ),
      )
      const erased = await run('erase', 's3://photos/in/secret', '--uploads', '--yes', '--json')
      expect(erased.status).toBe(0)
      const lines = erased.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object)
      expect(lines).toMatchObject([
        { kind: 'erased', bucket: 'photos', key: 'in/secret', uploadId: id, parts: 2, size: 14, inProgress: true },
        { kind: 'result', erasedBefore: 0, pending: 0 },
      ])
      const again = await run('erase', 's3://photos/in/secret', '--uploads', '--yes')
      expect(again).toMatchObject({ status: 0, stdout: 'Uploads: 0 erased, 0 stay, 1 erased before.\n' })
    }))

  it('erases chosen uploads by their ids, and no others', () =>
    withUploads(['in/key', 'in/key'], async ([one = '', two = '']) => {
      const erased = await run('erase', 's3://photos/in/key', '--upload-id', one, '--yes')
      expect(erased.stdout).toContain(`upload ${one} of event `)
      expect(erased.stdout).toContain('Uploads: 1 erased, 0 stay.')
      const { stdout } = await run('erase', 's3://photos/in/key', '--uploads', '--dry-run')
      expect(stdout).toContain(two)
      expect(stdout).toContain('Uploads: 1 to erase, 0 stay, 1 erased before.')
      const none = await run('erase', 's3://photos/in/key', '--upload-id', 'none', '--yes')
      expect(none).toMatchObject({ status: 1, stdout: '' })
      expect(none.stderr).toContain('(NoSuchUpload)')
      expect((await run('erase', 's3://photos', '-r', '--upload-id', two, '--yes')).status).toBe(2)
    }))

  it('takes no versions, unless it is asked for them too', () =>
    withUploads(['in/one', 'in/two', 'out'], async () => {
      const uploads = await run('erase', 's3://photos/in/', '-r', '--uploads', '--dry-run')
      expect(uploads.stdout).toContain('Uploads: 2 to erase, 0 stay.')
      const both = await run('erase', 's3://photos/in/', '-r', '--uploads', '--all-versions', '--yes')
      expect(both.stdout).toContain('s3://photos/in/removed  version null')
      expect(both.stdout).toContain('Versions and uploads: 3 erased, 0 stay.')
    }))

  it('writes a receipt that check-proof explains', () =>
    withUploads(['in/secret'], async () => {
      const erased = await run('erase', 's3://photos/in/secret', '--uploads', '--yes', '--receipt', beside('receipt'))
      expect(erased).toMatchObject({ status: 0, stderr: '' })
      expect(await readFile(beside('receipt'), 'utf8')).toContain('erased 1 of 1')
      const key = (await run('log-key')).stdout.trim()
      const { stdout } = await varve(['check-proof', beside('receipt'), '--key', key])
      expect(stdout).toContain('had uploads of photos erased, ')
      expect(stdout).toMatch(/s3:\/\/photos\/in\/secret {2}upload of event \d+ {2}the bytes were dropped at /)
      const { stdout: log } = await run('log', '--type', 'ErasureRequested')
      expect(log).toContain('s3://photos  erasure requested: uploads')
    }))
})

it('refuses a key that never had an upload, and says that there is nothing beneath a prefix', async () => {
  const mistyped = await run('erase', 's3://photos/in/removed', '--uploads', '--yes')
  expect(mistyped).toMatchObject({ status: 1, stdout: '' })
  expect(mistyped.stderr).toContain('(NoSuchKey)')
  const nothing = await run('erase', 's3://photos/cta', '-r', '--uploads', '--yes')
  expect(nothing.status).toBe(1)
  expect(nothing.stderr).toContain('There are no uploads with bytes at s3://photos/cta, and there were none.')
})
