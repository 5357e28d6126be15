/** `varve export, import, archive verify`: on a closed store, one of another process, and one of a server. */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '@varve/core'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { varve } from './run-main.fixture.ts'
import { served } from './served-store.fixture.ts'

const scratch = scratchDirectory()
let dir: string
let files: string
let archive: string

beforeEach(async () => {
  dir = scratch.next()
  files = scratch.next()
  archive = join(files, 'photos.varve')
  await mkdir(files)
  const store = await openStore(dir)
  await store.buckets.create('photos', { versioning: 'Enabled' })
  await store.objects.put('photos', 'a', 'one')
  await store.objects.put('photos', 'a', 'two')
  await store.objects.put('photos', 'large', 'x'.repeat(2_000_000))
  await store.objects.delete('photos', 'gone')
  await store.close()
})

/** Ends what the test began. */
let close: () => Promise<void> = () => Promise.resolve()
afterEach(() => close())

const reaching: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  'a closed store': () => Promise.resolve(['--dir', dir]),
  'the store of another process': async () => {
    const store: Store = await openStore(dir)
    close = () => store.close()
    return ['--dir', dir]
  },
  'the store of a server': async () => {
    const store = await openStore(dir)
    const server = await served(store)
    close = async () => {
      await server.close()
      await store.close()
    }
    return server.args
  },
}

describe.each(Object.entries(reaching))('of %s', (_name, reach) => {
  it('a bucket goes into a file and comes back under another name', async () => {
    const args = await reach()
    const exported = await varve(['export', 's3://photos', '--with-history', '--to', archive, ...args])
    expect(exported).toMatchObject({ status: 0, stderr: '' })
    expect(exported.stdout).toContain('3 objects, 1 delete markers, ')
    const verified = await varve(['archive', 'verify', archive])
    expect(verified.stdout).toMatch(
      /s3:\/\/photos at position \d+: 3 objects, 1 delete markers, \d+ events, 2000006 bytes {2}sha256/,
    )
    const imported = await varve(['import', archive, 's3://again', ...args])
    expect(imported).toMatchObject({
      status: 0,
      stdout: 's3://again (new)  stored 3, 1 delete markers, 2000006 bytes\n',
    })
    const versions = await varve(['ls', 's3://again', '--versions', ...args])
    expect(versions.stdout.trim().split('\n')).toHaveLength(4)
    expect((await varve(['import', archive, 's3://again', ...args])).stdout).toContain('stored 0, 4 were there')
  })
})

describe('of a file', () => {
  const here = () => ['--dir', dir]

  it('programs get one line of JSON', async () => {
    const { stdout } = await varve(['export', 's3://photos', '--to', archive, '--json', ...here()])
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'exported', bucket: 'photos', objects: 2, bytes: 2_000_003 })
    const verified = await varve(['archive', 'verify', archive, '--json'])
    expect(JSON.parse(verified.stdout)).toMatchObject({ kind: 'archive', contents: 'bucket', objects: 2 })
    const imported = await varve(['import', archive, 's3://again', '--json', ...here()])
    expect(JSON.parse(imported.stdout)).toMatchObject({ kind: 'imported', bucket: 'again', created: true, stored: 2 })
  })

  it('goes through standard output and input', async () => {
    const { stdout, stderr } = await varve(['export', 's3://photos', '--to', '-', ...here()])
    expect(stderr).toBe('')
    const bytes = Buffer.from(stdout, 'latin1')
    async function* input() {
      yield bytes
    }
    expect(await varve(['archive', 'verify', '-'], input())).toMatchObject({ status: 0 })
    const imported = await varve(['import', '-', 's3://again', ...here()], input())
    expect(imported.stdout).toContain('stored 2')
  })

  it('is refused with status 5 when it is damaged, and nothing is stored', async () => {
    await varve(['export', 's3://photos', '--to', archive, ...here()])
    const bytes = await readFile(archive)
    await writeFile(archive, bytes.subarray(0, bytes.length / 2))
    expect(await varve(['archive', 'verify', archive])).toMatchObject({ status: 5 })
    const { status, stderr } = await varve(['import', archive, 's3://again', ...here()])
    expect(status).toBe(5)
    expect(stderr).toContain('The archive is damaged')
    expect((await varve(['ls', ...here()])).stdout).not.toContain('again')
  })

  it('imports what was there at a moment', async () => {
    await varve(['export', 's3://photos', '--with-history', '--to', archive, ...here()])
    const [first = '{}'] = (await varve(['history', 's3://photos/a', '--json', ...here()])).stdout.split('\n')
    const { seq } = JSON.parse(first) as { seq: number }
    await varve(['import', archive, 's3://then', '--at', String(seq), ...here()])
    expect((await varve(['cat', 's3://then/a', ...here()])).stdout).toBe('one')
    expect(await varve(['import', archive, '--at', 'a-snapshot', ...here()])).toMatchObject({ status: 2 })
  })

  it('overwrites neither files nor objects unless it is told to', async () => {
    await varve(['export', 's3://photos', '--to', archive, ...here()])
    expect(await varve(['export', 's3://photos', '--to', archive, ...here()])).toMatchObject({ status: 1 })
    expect(await varve(['export', 's3://photos', '--to', archive, '--overwrite', ...here()])).toMatchObject({
      status: 0,
    })
    await varve(['put', archive, 's3://photos/a', ...here()])
    const refused = await varve(['import', archive, ...here(), '--json'])
    expect(refused.status).toBe(1)
    expect(refused.stdout + refused.stderr).toContain('ImportConflict')
    expect((await varve(['import', archive, '--on-conflict', 'skip', ...here()])).stdout).toContain('skipped 1')
  })
})

describe('of a directory', () => {
  it('the files come beneath a prefix, and what is left out is named', async () => {
    const pictures = join(files, 'pictures')
    await mkdir(join(pictures, 'a'), { recursive: true })
    await writeFile(join(pictures, 'a/b.txt'), 'text')
    const { status, stdout } = await varve(['import', pictures, 's3://photos/in/', '--dir', dir])
    expect({ status, stdout }).toEqual({ status: 0, stdout: 's3://photos  stored 1, 4 bytes\n' })
    expect((await varve(['cat', 's3://photos/in/a/b.txt', '--dir', dir])).stdout).toBe('text')
    await symlink('b.txt', join(pictures, 'a/link'))
    const again = await varve(['import', pictures, 's3://photos/in/', '--dir', dir])
    expect(again.status).toBe(1)
    expect(again.stderr).toContain('Left out a/link: it is a link')
  })

  it('needs the name of a bucket, and has no history', async () => {
    expect(await varve(['import', files, '--dir', dir])).toMatchObject({ status: 2 })
    expect(await varve(['import', files, 's3://photos', '--at', '3', '--dir', dir])).toMatchObject({ status: 2 })
  })
})

describe('varve export and import of a whole store', () => {
  it('write the store to a file, prove it, and make it again, also as it was', async () => {
    const file = join(files, 'store.varve')
    const exported = await varve(['export', dir, '--to', file])
    expect(exported).toMatchObject({ status: 0, stderr: '' })
    expect(exported.stdout).toMatch(/store\.varve {2}\d+ events, \d+ blobs, \d+ bytes {2}position \d+/)
    const verified = await varve(['archive', 'verify', file])
    expect(verified.stdout).toContain('a store up to position ')
    const again = join(files, 'again')
    const imported = await varve(['import', file, again, '--json'])
    const { head, events } = JSON.parse(imported.stdout) as { head: number; events: number }
    expect(head).toBe(events + 1)
    expect((await varve(['ls', 's3://photos', '--dir', again])).stdout).toContain('a')
    const then = await varve(['import', file, join(files, 'then'), '--at', '2', '--layout', 'lmdb+files'])
    expect(then.stdout).toContain('Imported 2 events')
    expect((await varve(['archive', 'verify', file, '--json'])).stdout).toContain('"contents":"store"')
  })

  it('refuse what does not belong to a store', async () => {
    const file = join(files, 'store.varve')
    for (const args of [
      ['export', dir, '--to', file, '--with-history'],
      ['export', dir, '--to', file, '--from-seq', '2'],
      ['import', file, join(files, 'again'), '--with-access'],
      ['import', '-', join(files, 'again')],
      ['import', file, 's3://again', '--layout', 'lmdb+files', '--dir', dir],
    ])
      expect([args, (await varve(args)).status]).toEqual([args, 2])
    await varve(['export', dir, '--to', file])
    expect((await varve(['export', dir, '--to', file])).stderr).toContain('There is a file')
    expect((await varve(['import', file, 's3://again', '--dir', dir])).stderr).toContain('import it into a directory')
    await varve(['export', 's3://photos', '--to', archive, '--dir', dir])
    expect((await varve(['import', archive, join(files, 'again')])).stderr).toContain('import it into a store')
  })
})
