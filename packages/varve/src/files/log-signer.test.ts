import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { verifyEd25519 } from '@varve/adapters'
import { beforeEach, describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { fileLogSigner, logKeyFile, memoryLogSigner } from './log-signer.ts'

const scratch = scratchDirectory()
let dir: string
beforeEach(async () => {
  dir = scratch.next()
  await mkdir(dir, { recursive: true })
})

const message = new TextEncoder().encode('text')
const code = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: unknown) => (error as { code: string }).code,
  )

describe('the key of a log in a directory', () => {
  it('is made once, in a file that only its owner can read, and signs', async () => {
    const signer = fileLogSigner(dir, 'abc')
    expect(await readdir(dir)).toEqual([])
    const identities = await Promise.all([signer.identity(), signer.identity()])
    expect(identities[0]).toEqual(identities[1])
    expect(identities[0].origin).toBe('varve/abc')
    expect(await readdir(dir)).toEqual(['log-key.json'])
    if (process.platform !== 'win32') expect((await stat(logKeyFile(dir))).mode & 0o777).toBe(0o600)
    const signature = await signer.sign(message)
    expect(verifyEd25519(identities[0].publicKey, message, signature)).toBe(true)
    expect(await fileLogSigner(dir, 'other').identity()).toEqual(identities[0])
  })

  it('keeps the last note, also for the next opening', async () => {
    const signer = fileLogSigner(dir, 'abc')
    expect(await signer.last()).toBeUndefined()
    await signer.keep('one\n')
    await signer.keep('two\n')
    expect(await signer.last()).toBe('two\n')
    expect(await fileLogSigner(dir, 'abc').last()).toBe('two\n')
  })

  it('is another one of another name after it was renewed, and has signed nothing', async () => {
    const signer = fileLogSigner(dir, 'abc')
    const before = await signer.identity()
    await signer.keep('one\n')
    const after = await signer.renew()
    expect(after.origin).toMatch(/^varve\/abc\/[0-9a-f]{8}$/)
    expect(after.publicKey).not.toEqual(before.publicKey)
    expect(await signer.last()).toBeUndefined()
    expect((await signer.renew('example.com/log')).origin).toBe('example.com/log')
    expect(await fileLogSigner(dir, 'abc').identity()).toEqual(await signer.identity())
  })

  it.each(['', '{}', '{"origin":"a b","seed":""}', '{"origin":"a","seed":"AAAA"}', '[1]', '{"origin":"a"'])(
    'is refused when its file is damaged, and the file stays as it is: %j',
    async (text) => {
      await writeFile(logKeyFile(dir), text, { mode: 0o600 })
      const signer = fileLogSigner(dir, 'abc')
      expect(await code(signer.identity())).toBe('InvalidArgument')
      expect(await code(signer.keep('note\n'))).toBe('InvalidArgument')
      expect(await readFile(logKeyFile(dir), 'utf8')).toBe(text)
      await signer.renew()
      expect((await fileLogSigner(dir, 'abc').identity()).origin).toMatch(/^varve\/abc\//)
    },
  )

  it('is refused when others can read it', async () => {
    if (process.platform === 'win32') return
    const signer = fileLogSigner(dir, 'abc')
    await signer.identity()
    await chmod(logKeyFile(dir), 0o644)
    expect(await code(fileLogSigner(dir, 'abc').identity())).toBe('InvalidArgument')
  })
})

describe('the key of a log in memory', () => {
  it('lasts as long as the store', async () => {
    const signer = memoryLogSigner('abc')
    await signer.keep('one\n')
    expect(await signer.last()).toBe('one\n')
    expect((await signer.identity()).origin).toBe('varve/abc')
  })
})
