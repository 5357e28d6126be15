import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openStore } from '../store/open-store.ts'
import { salvageStore } from '../maintenance/closed-stores.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { storeSecret } from './store-secret.ts'

const scratch = scratchDirectory()

async function newDirectory(): Promise<string> {
  const dir = scratch.next()
  await mkdir(dir, { recursive: true })
  return dir
}

describe('the secret of a store', () => {
  it('is made when it is first read, for its owner alone, and is the same for all readers', async () => {
    const dir = await newDirectory()
    const secrets = Array.from({ length: 8 }, () => storeSecret(dir))
    expect(await readdir(dir)).toEqual([])
    const read = await Promise.all(secrets.map((secret) => secret.read()))
    expect(new Set(read.map((bytes) => Buffer.from(bytes).toString('hex'))).size).toBe(1)
    expect(read[0]).toHaveLength(32)
    expect(await readdir(dir)).toEqual(['secret.json'])
    if (process.platform !== 'win32') expect((await stat(join(dir, 'secret.json'))).mode & 0o777).toBe(0o600)
    expect(await storeSecret(dir).read()).toEqual(read[0])
  })

  it.each(['', 'nonsense', '{}', '{"secret":"c2hvcnQ="}', 'null'])(
    'is replaced when it is damaged: %j',
    async (text) => {
      const dir = await newDirectory()
      await writeFile(join(dir, 'secret.json'), text, { mode: 0o600 })
      const secret = await storeSecret(dir).read()
      expect(secret).toHaveLength(32)
      expect(await storeSecret(dir).read()).toEqual(secret)
    },
  )

  it.skipIf(process.platform === 'win32')('is replaced when others could read it', async () => {
    const dir = await newDirectory()
    const secret = await storeSecret(dir).read()
    await chmod(join(dir, 'secret.json'), 0o644)
    const other = await storeSecret(dir).read()
    expect(other).not.toEqual(secret)
    expect((await stat(join(dir, 'secret.json'))).mode & 0o777).toBe(0o600)
  })
})

describe('the id of an upload', () => {
  it('holds when the store is opened again, and in what is salvaged; without the secret, listings give another', async () => {
    const dir = scratch.next()
    const store = await openStore(dir)
    await store.buckets.create('box')
    expect(await readdir(dir)).not.toContain('secret.json')
    const upload = await store.uploads.create('box', 'k')
    await store.close()
    const secret = JSON.parse(await readFile(join(dir, 'secret.json'), 'utf8')) as { secret: string }
    for (const name of await readdir(join(dir, 'events'))) {
      const text = await readFile(join(dir, 'events', name))
      for (const kept of [secret.secret, upload.uploadId.slice(13)]) expect(text.includes(kept)).toBe(false)
    }
    const saved = scratch.next()
    await salvageStore(dir, saved)
    for (const where of [dir, saved]) {
      const again = await openStore(where)
      expect((await again.uploads.head(upload)).uploadId).toBe(upload.uploadId)
      await again.close()
    }
    await rm(join(dir, 'secret.json'))
    const without = await openStore(dir)
    await expect(without.uploads.head(upload)).rejects.toMatchObject({ code: 'NoSuchUpload' })
    const [listed] = (await without.uploads.listPage('box')).entries
    const uploadId = listed?.kind === 'upload' ? listed.uploadId : ''
    expect(uploadId).not.toBe(upload.uploadId)
    await without.uploads.uploadPart({ ...upload, uploadId }, 1, 'part')
    await without.close()
  })
})
