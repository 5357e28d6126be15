import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { failing, faultyFileSystem } from '../files/faulty-file-system.fixture.ts'
import { nodeFileSystem as fs } from '../files/node-file-system.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { sealJson } from './sealed-json.ts'
import { readFormat, type StoreFormat, writeFormat } from './store-format.ts'

const scratch = scratchDirectory()
const format: StoreFormat = {
  storeId: '0123456789abcdef0123456789abcdef',
  version: 1,
  state: 'ready',
  layout: 'level+files',
}

async function formatFile(text?: string): Promise<string> {
  const directory = scratch.next()
  await mkdir(directory)
  const path = join(directory, 'FORMAT')
  if (text !== undefined) await writeFile(path, text)
  return path
}

describe('the FORMAT file', () => {
  it('is read back, and readable by people', async () => {
    const path = await formatFile()
    expect(await readFormat(fs, path)).toBeUndefined()
    await writeFormat(fs, path, { ...format, state: 'initialising' })
    await writeFormat(fs, path, format)
    expect(await readFormat(fs, path)).toEqual(format)
    expect(await readFile(path, 'utf8')).toMatch(
      /^\{"storeId":"0123456789abcdef0123456789abcdef","version":1,"layout":"level\+files","state":"ready","crc":"[0-9a-f]{8}"\}\n$/,
    )
  })

  it('is never taken for another when a bit of it flips, or for whole when it is cut', async () => {
    const path = await formatFile()
    await writeFormat(fs, path, format)
    const whole = await readFile(path)
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const damaged = Buffer.from(whole)
      damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7))
      await writeFile(path, damaged)
      await expect(readFormat(fs, path), `bit ${bit}`).rejects.toMatchObject({ code: 'UnsupportedFormat' })
    }
    for (let length = 0; length < whole.length; length++) {
      await writeFile(path, whole.subarray(0, length))
      await expect(readFormat(fs, path)).rejects.toMatchObject({ details: { kind: 'damaged' } })
    }
  })

  it('of a newer release is named, however that release writes it', async () => {
    for (const text of [
      '{"version":2}',
      sealJson({ version: 7, storeId: 'x', state: 'sleeping' }),
      '{ "version": 1e3 }',
    ]) {
      const path = await formatFile(text)
      await expect(readFormat(fs, path)).rejects.toMatchObject({
        code: 'UnsupportedFormat',
        details: { kind: 'newer' },
      })
    }
  })

  it('with the right seal and the wrong contents is refused', async () => {
    const wrong = [
      { ...format, version: 0 },
      { ...format, state: 'asleep' },
      { ...format, storeId: 7 },
      { ...format, version: '1' },
      { ...format, layout: undefined },
      { version: 1 },
      {},
    ]
    for (const fields of wrong) {
      const path = await formatFile(sealJson(fields))
      await expect(readFormat(fs, path)).rejects.toMatchObject({ details: { kind: 'damaged' } })
    }
    for (const text of ['', '[]', 'null', '"version"']) {
      await expect(readFormat(fs, await formatFile(text))).rejects.toMatchObject({ details: { kind: 'damaged' } })
    }
  })

  it('is replaced in an order that survives a power cut', async () => {
    const path = await formatFile(sealJson({}))
    await writeFile(`${path}.tmp`, 'left by a crash')
    const { fs: traced, trace } = faultyFileSystem(() => undefined)
    await writeFormat(traced, path, format)
    const file = ['unlink', 'open', 'write', 'fstat', 'sync', 'close', 'rename'].map((step) => `${step} FORMAT.tmp`)
    const parent = path.split('/').at(-2)
    expect(trace).toEqual([...file, `open ${parent}`, `sync ${parent}`, `close ${parent}`])
  })

  it.each(['open', 'write', 'fstat', 'sync', 'close', 'rename'])('stays as it was when %s fails', async (operation) => {
    const path = await formatFile()
    await writeFormat(fs, path, format)
    for (const [errno, code] of [
      ['EIO', 'JournalFailed'],
      ['ENOSPC', 'NoSpace'],
    ] as const) {
      const faulty = faultyFileSystem(failing(operation, /FORMAT/, errno))
      const writing = writeFormat(faulty.fs, path, { ...format, state: 'initialising' })
      await expect(writing).rejects.toMatchObject({ code, details: { errno } })
      expect(faulty.open()).toBe(0)
      expect(await readFormat(fs, path)).toEqual(format)
    }
  })

  it('that cannot be read is not one that is missing', async () => {
    const path = await formatFile()
    for (const [errno, code] of [
      ['EIO', 'JournalFailed'],
      ['EACCES', 'JournalFailed'],
      ['EMFILE', 'TooManyOpenFiles'],
    ] as const) {
      const faulty = faultyFileSystem(failing('open', /FORMAT/, errno))
      await expect(readFormat(faulty.fs, path)).rejects.toMatchObject({ code, details: { errno } })
    }
  })
})
