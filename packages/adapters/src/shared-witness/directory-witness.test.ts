import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { directoryWitness } from './directory-witness.ts'

const scratch = scratchDirectory()
const tip = (seq: number) => ({ seq, hash: `hash-${seq}` })

async function directory(): Promise<string> {
  const path = scratch.next()
  await mkdir(path)
  return path
}

const filesIn = (path: string) => readdir(join(path, 'witness'))

describe('a witness in a shared directory', () => {
  it('is empty at first, and holds the latest tip of all processes, in whatever order they write', async () => {
    const path = await directory()
    const [one, other] = [directoryWitness(path), directoryWitness(path)]
    expect(await one.read()).toBeUndefined()
    await one.write(tip(7))
    await other.write(tip(9))
    await one.write(tip(8))
    expect(await one.read()).toEqual(tip(9))
    expect(await directoryWitness(path).read()).toEqual(tip(9))
  })

  it('keeps no files of processes that have ended', async () => {
    const path = await directory()
    for (let seq = 1; seq < 10; seq++) await directoryWitness(path).write(tip(seq))
    expect(await filesIn(path)).toHaveLength(1)
  })

  it('keeps a later tip of another process at the first write', async () => {
    const path = await directory()
    await directoryWitness(path).write(tip(9))
    await directoryWitness(path).write(tip(8))
    expect(await directoryWitness(path).read()).toEqual(tip(9))
  })

  it('is replaced as a whole, by an earlier tip too', async () => {
    const path = await directory()
    await directoryWitness(path).write(tip(9))
    await directoryWitness(path).replace(tip(3))
    expect(await directoryWitness(path).read()).toEqual(tip(3))
    expect(await filesIn(path)).toHaveLength(1)
  })

  it('fails with LogCorrupt if a file is damaged, and ignores other files', async () => {
    const path = await directory()
    await directoryWitness(path).write(tip(9))
    await writeFile(join(path, 'witness', 'notes.txt'), 'x')
    await writeFile(join(path, 'witness', `${'0'.repeat(32)}.json.tmp`), 'x')
    expect(await directoryWitness(path).read()).toEqual(tip(9))
    await writeFile(join(path, 'witness', `${'0'.repeat(32)}.json`), '{"seq":10}')
    const damaged = { code: 'LogCorrupt', details: { kind: 'witness' } }
    await expect(directoryWitness(path).read()).rejects.toMatchObject(damaged)
    await directoryWitness(path).replace(tip(9))
    expect(await directoryWitness(path).read()).toEqual(tip(9))
  })
})
