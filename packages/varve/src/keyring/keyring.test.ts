import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { isStorageError } from '@varve/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openStore } from '../store/open-store.ts'
import { salvageStore } from '../maintenance/closed-stores.ts'
import { createKeyring, masterIds } from './create-keyring.ts'
import { combineKeys, keysFromEnvironment, parseKeyMaterial } from './key-material.ts'
import { createKeyringFile, loadKeyringFile, newKey, replaceKeyringFile } from './keyring-file.ts'

const key = newKey()
const context = 'context'
let directory = ''
let path = ''

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'varve-keyring-'))
  path = join(directory, 'keyring.json')
})
afterEach(() => rm(directory, { recursive: true, force: true }))

/** Returns the message of the refusal, and checks that no key is in it. */
async function refusal(work: () => unknown): Promise<string> {
  try {
    await work()
  } catch (error) {
    expect(inspect(error, { depth: null })).not.toContain(key)
    if (isStorageError(error, 'InvalidArgument')) return error.message
    throw error
  }
  return 'accepted'
}

describe('keys that people keep', () => {
  it.each<[string, unknown]>([
    ['must be an object', [key]],
    ['has an unknown field', { master: [key], secret: key }],
    ['must be 32 bytes', { master: [key.slice(4)] }],
    ['must be 32 bytes', { master: [`${key.slice(0, -2)}==`] }],
    ['must be 32 bytes', { keys: { a: `${key}${key}` } }],
    ['must be 32 bytes', { keys: { a: 7 } }],
    ['must not be empty', { keys: { a: [] } }],
    ['has one key twice', { master: [key, key] }],
    ['has a name that cannot be one', { keys: { '': key } }],
    ['has a name that cannot be one', { keys: { 'a\n': key } }],
    ['must be an object', { keys: [key] }],
  ])('are refused, without being quoted: it %s', async (message, json) => {
    expect(await refusal(() => parseKeyMaterial(json, 'The keyring'))).toContain(message)
  })

  it('are one or a list of them, and may be in the environment', () => {
    const other = newKey()
    expect(parseKeyMaterial({ master: key, keys: { a: [key, other] } }, '')).toEqual({
      master: [key],
      keys: { a: [key, other] },
    })
    expect(keysFromEnvironment({ VARVE_MASTER_KEY: `${key},${other}` }).master).toEqual([key, other])
    expect(keysFromEnvironment({ VARVE_MASTER_KEY: '' }).master).toEqual([])
  })

  it('come together in their order, and no name twice', async () => {
    const [one, two] = [
      { master: [key], keys: { a: [key] } },
      { master: [newKey(), key], keys: {} },
    ]
    expect(combineKeys(one, two)).toEqual({ master: [key, two.master[0]], keys: { a: [key] } })
    expect(await refusal(() => combineKeys(one, one))).toContain('two keys of one name')
  })
})

describe('a keyring', () => {
  it('wraps with the first of its keys, and unwraps with any', async () => {
    const [older, newer] = [newKey(), newKey()]
    const secret = new Uint8Array(32).fill(7)
    const before = createKeyring({ master: [older], keys: { a: [older] } })
    const after = createKeyring({ master: [newer, older], keys: { a: [newer, older] } })
    expect([before.master, after.master]).toEqual([
      ...masterIds({ master: [older] }),
      ...masterIds({ master: [newer] }),
    ])
    const wrapped = await before.wrap({ named: 'a' }, secret, context)
    expect(await after.unwrap({ named: 'a' }, wrapped, context)).toEqual(secret)
    expect(await after.unwrap({ named: 'a' }, wrapped, 'another')).toBeUndefined()
    expect(
      await before.unwrap({ named: 'a' }, await after.wrap({ named: 'a' }, secret, context), context),
    ).toBeUndefined()
    const ofMaster = await before.wrap({ master: before.master as string }, secret, context)
    expect(await after.unwrap({ master: before.master as string }, ofMaster, context)).toEqual(secret)
    expect(await after.unwrap({ master: 'nobody' }, ofMaster, context)).toBeUndefined()
    await expect(after.wrap({ named: 'nobody' }, secret, context)).rejects.toMatchObject({ code: 'KeyUnavailable' })
    expect([after.has('a'), after.has('b'), after.has('constructor')]).toEqual([true, false, false])
  })

  it('shows none of its keys when it is printed', () => {
    const keyring = createKeyring({ master: [key], keys: { a: [key] } })
    expect(inspect(keyring, { depth: null, showHidden: true })).not.toContain(key.slice(0, 10))
    expect(JSON.stringify(keyring)).not.toContain(key)
    expect(keyring.master).toMatch(/^[0-9a-f]{16}$/)
    expect(Buffer.from(key, 'base64').toString('hex')).not.toContain(keyring.master)
  })
})

describe('a keyring file', () => {
  it('is made once, readable by its owner alone, and replaced as a whole', async () => {
    const material = { master: [key], keys: {} }
    expect(await createKeyringFile(path, material)).toBe(true)
    expect(await createKeyringFile(path, { master: [newKey()], keys: {} })).toBe(false)
    expect(await loadKeyringFile(path)).toEqual(material)
    await replaceKeyringFile(path, { master: [key], keys: { a: [key] } })
    expect(await loadKeyringFile(path)).toEqual({ master: [key], keys: { a: [key] } })
    expect(await readdir(directory)).toEqual(['keyring.json'])
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  it.skipIf(process.platform === 'win32').each([0o640, 0o604, 0o620, 0o644])(
    'is refused with mode %o, as others could see or change it',
    async (mode) => {
      await writeFile(path, JSON.stringify({ master: [key] }))
      await chmod(path, mode)
      expect(await refusal(() => loadKeyringFile(path))).toContain(`(mode 0${mode.toString(8)})`)
    },
  )

  it('is refused when missing, when it is no file, and when it is no JSON', async () => {
    expect(await refusal(() => loadKeyringFile(path))).toContain('ENOENT')
    await writeFile(path, `{"master": ["${key}"`, { mode: 0o600 })
    expect(await refusal(() => loadKeyringFile(path))).toContain('is not JSON in UTF-8')
    await rm(path)
    await mkdir(path, { mode: 0o700 })
    expect(await refusal(() => loadKeyringFile(path))).toContain('is not a file')
  })
})

describe('a store in a directory', () => {
  it('makes its own keyring there on request, and finds it again', async () => {
    const dir = join(directory, 'store')
    const store = await openStore(dir, { keyring: 'own' })
    await store.buckets.create('box')
    await store.objects.put('box', 'k', 'secret text', { encryption: { mode: 'AES256' } })
    await store.close()
    const again = await openStore(dir)
    expect(await (await again.objects.get('box', 'k')).text()).toBe('secret text')
    await again.close()
    const saved = join(directory, 'saved')
    await salvageStore(dir, saved)
    const rescued = await openStore(saved)
    expect(await (await rescued.objects.get('box', 'k')).text()).toBe('secret text')
    await rescued.close()
    const { master } = await loadKeyringFile(join(dir, 'keyring.json'))
    for (const name of await readdir(join(dir, 'events'))) {
      expect((await readFile(join(dir, 'events', name))).includes(master[0] as string)).toBe(false)
    }
    const other = await openStore(dir, { keyring: createKeyring({ master: [key] }) })
    await expect(other.objects.get('box', 'k')).rejects.toMatchObject({ code: 'KeyUnavailable' })
    expect((await other.verify()).divergences).toEqual([])
    await other.close()
  })
})
