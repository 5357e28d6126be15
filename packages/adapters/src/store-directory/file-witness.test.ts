import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { failing, faultyFileSystem } from '../files/faulty-file-system.fixture.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { fileWitness } from './file-witness.ts'
import { sealJson } from './sealed-json.ts'

const scratch = scratchDirectory()
const hash = 'ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0'

async function witnessPath(): Promise<string> {
  const directory = scratch.next()
  await mkdir(directory)
  return join(directory, 'witness')
}

describe('the witness', () => {
  it('is empty at first and then holds the last recorded tip', async () => {
    const path = await witnessPath()
    const witness = fileWitness(path)
    expect(await witness.read()).toBeUndefined()
    await witness.write({ seq: 1, hash })
    await witness.write({ seq: 7_000_000_000, hash })
    expect(await witness.read()).toEqual({ seq: 7_000_000_000, hash })
    expect(await fileWitness(path).read()).toEqual({ seq: 7_000_000_000, hash })
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  it('takes tips one after another, the last one stays', async () => {
    const witness = fileWitness(await witnessPath())
    await Promise.all(Array.from({ length: 10 }, (_, i) => witness.write({ seq: i + 1, hash })))
    expect(await witness.read()).toEqual({ seq: 10, hash })
  })

  it('fails with LogCorrupt on any flipped bit and any cut', async () => {
    const path = await witnessPath()
    const witness = fileWitness(path)
    await witness.write({ seq: 1234, hash })
    const whole = await readFile(path)
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const damaged = Buffer.from(whole)
      damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7))
      await writeFile(path, damaged)
      await expect(witness.read(), `bit ${bit}`).rejects.toMatchObject({
        code: 'LogCorrupt',
        details: { kind: 'witness' },
      })
    }
    for (const text of [
      '',
      whole.subarray(0, 20),
      sealJson({ seq: 0, hash }),
      sealJson({ seq: 1 }),
      sealJson({ seq: 1.5, hash }),
    ]) {
      await writeFile(path, text)
      await expect(witness.read()).rejects.toMatchObject({ code: 'LogCorrupt' })
    }
  })

  it('keeps the tip of before when a write fails, and takes the next', async () => {
    const path = await witnessPath()
    await fileWitness(path).write({ seq: 1, hash })
    for (const [operation, errno, code] of [
      ['sync', 'EIO', 'JournalFailed'],
      ['rename', 'EIO', 'JournalFailed'],
      ['write', 'ENOSPC', 'NoSpace'],
    ] as const) {
      const witness = fileWitness(path, { fs: faultyFileSystem(failing(operation, /witness/, errno, 1)).fs })
      await expect(witness.write({ seq: 2, hash })).rejects.toMatchObject({ code })
      expect(await witness.read()).toEqual({ seq: 1, hash })
      await witness.write({ seq: 3, hash })
      expect(await witness.read()).toEqual({ seq: 3, hash })
      await witness.write({ seq: 1, hash })
    }
  })

  it('that cannot be read is not one that is missing', async () => {
    const witness = fileWitness(await witnessPath(), { fs: faultyFileSystem(failing('open', /witness/, 'EIO')).fs })
    await expect(witness.read()).rejects.toMatchObject({ code: 'JournalFailed' })
  })
})
