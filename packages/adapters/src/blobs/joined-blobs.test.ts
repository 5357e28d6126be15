import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { createBlobDirectories } from './create-blob-directories.ts'
import { discardUnfinishedBlobs, joinBlobs } from './joined-blobs.ts'

const idOf = (digit: string): string => digit.repeat(32)

async function* bytes(text: string) {
  yield Buffer.from(text)
}

describe('joined blobs', () => {
  it('are those of the directory in every process that joins it', async () => {
    const directory = await made()
    const [one, two] = [await joinBlobs(directory, { openMax: 4 }), await joinBlobs(directory, { openMax: 4 })]
    await one.blobs.write(idOf('a'), bytes('hello'))
    const handle = await two.blobs.open(idOf('a'))
    expect(handle.size).toBe(5)
    await handle.close()
    expect(await two.reserve.exhausted()).toBe(false)
    await Promise.all([one.blobs.close(), two.blobs.close()])
  })

  it('lose only the unfinished writes of a process that died', async () => {
    const directory = await made()
    const { blobs } = await joinBlobs(directory, { openMax: 4 })
    await blobs.write(idOf('b'), bytes('whole'))
    await writeFile(join(directory, 'tmp', idOf('c')), 'half')
    await writeFile(join(directory, 'tmp', idOf('d')), 'half of another')
    await discardUnfinishedBlobs(directory, [idOf('b'), idOf('c')])
    expect(await readdir(join(directory, 'tmp'))).toEqual([idOf('d')])
    await (await blobs.open(idOf('b'))).close()
    await blobs.close()
  })
})

const scratch = scratchDirectory()

async function made(): Promise<string> {
  const directory = scratch.next()
  await mkdir(directory)
  await createBlobDirectories(directory)
  return directory
}
