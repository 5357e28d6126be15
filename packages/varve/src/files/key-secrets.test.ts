import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { KeySecrets } from '@varve/core'
import { salvageStore } from '../maintenance/closed-stores.ts'
import { openStore } from '../store/open-store.ts'
import { keySecrets } from './key-secrets.ts'
import { storeSecret } from './store-secret.ts'

let dir = ''
let secrets: KeySecrets

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'varve-key-secrets-'))
  secrets = keySecrets(dir, storeSecret(dir))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const folder = (): string => join(dir, 'access-keys')
const pair = { accessKeyId: 'AKIAONE', secretAccessKey: 'the-secret-of-one' }

describe('the secret of an access key', () => {
  it('is sealed in a private file, and found again by another opening', async () => {
    expect(await secrets.put(pair)).toBe(true)
    const [name = ''] = await readdir(folder())
    const text = await readFile(join(folder(), name), 'utf8')
    for (const plain of [pair.secretAccessKey, Buffer.from(pair.secretAccessKey).toString('base64')]) {
      expect(text).not.toContain(plain)
    }
    if (process.platform !== 'win32') {
      expect((await stat(join(folder(), name))).mode & 0o777).toBe(0o600)
      expect((await stat(folder())).mode & 0o777).toBe(0o700)
    }
    expect(await keySecrets(dir, storeSecret(dir)).get('AKIAONE')).toBe(pair.secretAccessKey)
    expect(await secrets.get('akiaone')).toBeUndefined()
  })

  it('is never replaced by another one, and storing it again changes nothing', async () => {
    expect(await secrets.put(pair)).toBe(true)
    expect(await secrets.put(pair)).toBe(true)
    expect(await secrets.put({ ...pair, secretAccessKey: 'another-secret' })).toBe(false)
    expect(await secrets.get('AKIAONE')).toBe(pair.secretAccessKey)
  })

  it('counts as absent when its file is damaged, is that of another key, or the secret of the store is another', async () => {
    await secrets.put(pair)
    await secrets.put({ accessKeyId: 'AKIATWO', secretAccessKey: 'the-secret-of-two' })
    const [one = '', two = ''] = (await readdir(folder())).map((name) => join(folder(), name))
    const [ofOne, ofTwo] = [await readFile(one), await readFile(two)]
    await writeFile(one, ofTwo)
    await writeFile(two, ofOne)
    expect([await secrets.get('AKIAONE'), await secrets.get('AKIATWO')]).toEqual([undefined, undefined])
    await writeFile(one, '{"sealed":')
    expect([await secrets.get('AKIAONE'), await secrets.get('AKIATWO')]).toEqual([undefined, undefined])
    await writeFile(one, ofOne)
    expect([await secrets.get('AKIAONE'), await secrets.get('AKIATWO')].filter(Boolean)).toHaveLength(1)
    await rm(join(dir, 'secret.json'))
    const other = keySecrets(dir, storeSecret(dir))
    expect([await other.get('AKIAONE'), await other.get('AKIATWO')]).toEqual([undefined, undefined])
  })

  it('is removed at an opening: of a revoked key at once, of an unknown one when it is old', async () => {
    for (const accessKeyId of ['active', 'revoked', 'old']) await secrets.put({ ...pair, accessKeyId })
    const names = await readdir(folder())
    const hourAgo = Date.now() / 1000 - 3600
    for (const name of names) await utimes(join(folder(), name), hourAgo, hourAgo)
    await secrets.put({ ...pair, accessKeyId: 'young' })
    await secrets.settle(new Set(['active']), new Set(['revoked']))
    const left = await Promise.all(['active', 'revoked', 'old', 'young'].map((id) => secrets.get(id)))
    expect(left.map((secret) => secret !== undefined)).toEqual([true, false, false, true])
  })
})

describe('the access keys of a store in a directory', () => {
  it('have their secrets again after it was closed, in a store that was salvaged from it, and in no file of the log', async () => {
    const store = await openStore(dir)
    const { key } = await store.identities.create('ann')
    const secret = key?.secretAccessKey as string
    await store.close()
    const again = await openStore(dir)
    expect((await again.identities.credentials()).identities[0]?.keys).toEqual([key])
    await again.close()
    for (const name of await readdir(dir, { recursive: true, withFileTypes: true })) {
      if (!name.isFile()) continue
      expect((await readFile(join(name.parentPath, name.name))).includes(secret)).toBe(false)
    }
    const into = `${dir}-saved`
    try {
      await salvageStore(dir, into)
      const saved = await openStore(into)
      expect((await saved.identities.credentials()).identities[0]?.keys).toEqual([key])
      await saved.close()
    } finally {
      await rm(into, { recursive: true, force: true })
    }
  })
})
