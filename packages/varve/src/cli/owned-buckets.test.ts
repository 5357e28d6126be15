import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '@varve/core'
import { canonicalId } from '@varve/http'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { varve } from './run-main.fixture.ts'

const scratch = scratchDirectory()
let dir: string
let store: Store

beforeEach(async () => {
  dir = scratch.next()
  store = await openStore(dir)
  await store.identities.create('ann', { id: 'a1', displayName: 'Ann' })
})
afterEach(() => store.close())

const ownerOf = async (bucket: string) => (await store.buckets.head(bucket)).owner

describe('a bucket that a command makes', () => {
  it('is owned by the identity that --owner names, by its name or its id', async () => {
    for (const [bucket, name] of [
      ['one', 'ann'],
      ['two', 'a1'],
    ] as const) {
      expect(await varve(['mb', `s3://${bucket}`, '--owner', name, '--dir', dir])).toMatchObject({
        status: 0,
        stderr: '',
      })
      expect(await ownerOf(bucket)).toEqual({ id: 'a1', name: 'Ann' })
    }
  })

  it('can be for an identity of a configuration, which is said', async () => {
    const { status, stderr } = await varve(['mb', 's3://photos', '--owner', 'root', '--dir', dir])
    expect({ status, stderr }).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('no identity root') as string,
    })
    expect(await ownerOf('photos')).toEqual({ id: canonicalId('root'), name: 'root' })
  })

  it('is owned by it after an import too, from a folder and from an archive', async () => {
    const folder = scratch.next()
    await mkdir(folder)
    await writeFile(join(folder, 'a.txt'), 'hello')
    expect(await varve(['import', folder, 's3://files', '--owner', 'ann', '--dir', dir])).toMatchObject({ status: 0 })
    const archive = join(folder, 'files.tar')
    expect(await varve(['export', 's3://files', '--to', archive, '--dir', dir])).toMatchObject({ status: 0 })
    expect(await varve(['import', archive, 's3://again', '--owner', 'ann', '--dir', dir])).toMatchObject({ status: 0 })
    for (const bucket of ['files', 'again']) expect(await ownerOf(bucket)).toMatchObject({ id: 'a1' })
  })
})
