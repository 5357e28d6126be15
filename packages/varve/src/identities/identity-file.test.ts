import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { isStorageError } from '@varve/core'
import { createIdentity } from '@varve/http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadIdentityFile } from './identity-file.ts'
import { ensureRootCredentials } from './root-credentials.ts'

const secret = 'a-very-secret-secret'
const good = JSON.stringify({ identities: [{ name: 'a', accessKeyId: 'AKA', secretAccessKey: secret }] })
let directory = ''
let path = ''

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'varve-identities-'))
  path = join(directory, 'identities.json')
})
afterEach(() => rm(directory, { recursive: true, force: true }))

/** The one that follows from a name. */
const idOf = (name: string): string => createIdentity({ name, accessKeyId: 'AKA', secretAccessKey: secret }).id

async function refusal(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
  } catch (error) {
    expect(inspect(error, { depth: null })).not.toContain(secret)
    if (isStorageError(error, 'InvalidArgument')) return error.message
    throw error
  }
  return 'accepted'
}

if (process.platform === 'win32') console.log('Skipped: Windows keeps no such modes of files.')

describe('an identity file', () => {
  it('is read when only its owner can', async () => {
    await writeFile(path, good, { mode: 0o600 })
    expect((await loadIdentityFile(path)).map(({ name }) => name)).toEqual(['a'])
    await chmod(path, 0o400)
    expect(await refusal(loadIdentityFile(path))).toBe('accepted')
  })

  it.skipIf(process.platform === 'win32').each([0o640, 0o604, 0o620, 0o602, 0o610, 0o644, 0o666])(
    'is refused with mode %o, as others could see or change it',
    async (mode) => {
      await writeFile(path, good)
      await chmod(path, mode)
      expect(await refusal(loadIdentityFile(path))).toContain(`(mode 0${mode.toString(8)})`)
    },
  )

  it('is refused through a link when what it leads to is open to others', async () => {
    await writeFile(path, good)
    await chmod(path, 0o644)
    await symlink(path, join(directory, 'link'))
    expect(await refusal(loadIdentityFile(join(directory, 'link')))).toContain('chmod 600')
  })

  it('is refused when missing, and when it is no file', async () => {
    expect(await refusal(loadIdentityFile(path))).toContain('ENOENT')
    await mkdir(path, { mode: 0o700 })
    expect(await refusal(loadIdentityFile(path))).toContain('is not a file')
  })

  it.each([
    ['empty', ''],
    ['cut short', good.slice(0, -2)],
    ['with a stray secret', `{"identities": ${secret}`],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ])('is refused %s without quoting it', async (_, contents) => {
    await writeFile(path, contents, { mode: 0o600 })
    expect(await refusal(loadIdentityFile(path))).toContain('is not JSON in UTF-8')
  })

  it('is refused when it is JSON of something else', async () => {
    await writeFile(path, '{"identities":[{"name":"a"}]}', { mode: 0o600 })
    expect(await refusal(loadIdentityFile(path))).toContain('identities[0].accessKeyId is missing')
  })
})

describe('root credentials', () => {
  it('are made once, for the owner of the file alone, and found again', async () => {
    const made = await ensureRootCredentials(path)
    expect(made.created).toBe(true)
    expect(made.identity).toMatchObject({ name: 'root', root: true, id: idOf('root') })
    expect(made.identity.accessKeyId).toMatch(/^[A-Z0-9]{20}$/)
    expect(made.identity.secretAccessKey).toMatch(/^[A-Za-z0-9]{40}$/)
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readdir(directory)).toEqual(['identities.json'])

    const found = await ensureRootCredentials(path)
    expect(found.created).toBe(false)
    expect(found.identity).toEqual(made.identity)
    expect(found.identity.secretAccessKey).toBe(made.identity.secretAccessKey)
    expect((await loadIdentityFile(path))[0]?.secretAccessKey).toBe(made.identity.secretAccessKey)
  })

  it('differ from store to store', async () => {
    const [one, two] = await Promise.all([ensureRootCredentials(path), ensureRootCredentials(`${path}2`)])
    expect(one.identity.accessKeyId).not.toBe(two.identity.accessKeyId)
    expect(one.identity.secretAccessKey).not.toBe(two.identity.secretAccessKey)
  })

  it('are made by one of many at once, and the others get the same', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => ensureRootCredentials(path)))
    expect(all.filter(({ created }) => created)).toHaveLength(1)
    expect(new Set(all.map(({ identity }) => identity.secretAccessKey)).size).toBe(1)
    expect(await readdir(directory)).toEqual(['identities.json'])
  })

  it('never overwrite a file they cannot use', async () => {
    await writeFile(path, good, { mode: 0o600 })
    expect(await refusal(ensureRootCredentials(path))).toContain('has no root identity')
    await writeFile(path, 'rubbish')
    expect(await refusal(ensureRootCredentials(path))).toContain('is not JSON')
    expect(await readFile(path, 'utf8')).toBe('rubbish')
  })

  it('leave nothing behind when the directory is missing', async () => {
    await expect(ensureRootCredentials(join(directory, 'none', 'x.json'))).rejects.toThrow('ENOENT')
    expect(await readdir(directory)).toEqual([])
  })
})
