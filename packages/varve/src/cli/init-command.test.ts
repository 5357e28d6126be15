import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { openStore } from '../store/open-store.ts'
import { varve } from './run-main.fixture.ts'

const scratch = scratchDirectory()

describe('varve init', () => {
  it('makes a store, which other commands name where there is none', async () => {
    const dir = scratch.next()
    const refused = await varve(['mb', 's3://photos', '--dir', dir])
    expect(refused).toMatchObject({ status: 6, stderr: expect.stringContaining(`varve init --dir ${dir}`) as string })
    expect(await varve(['init', '--dir', dir, '--layout', 'segments+files'])).toMatchObject({
      status: 0,
      stdout: `${dir}  made, with the layout segments+files\n`,
    })
    expect(await varve(['mb', 's3://photos', '--dir', dir])).toMatchObject({ status: 0 })
  })

  it('refuses a directory that has a store, whether it is open or not, or other files, and changes nothing', async () => {
    const dir = scratch.next()
    const store = await openStore(dir)
    const { seq } = store
    expect(await varve(['init', '--dir', dir])).toMatchObject({ status: 1 })
    await store.close()
    expect(await varve(['init', '--dir', dir])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('has a store already') as string,
    })
    const again = await openStore(dir)
    expect(again.seq).toBe(seq)
    await again.close()
    const other = scratch.next()
    await mkdir(other)
    await writeFile(join(other, 'letter.txt'), 'Dear Ann')
    expect(await varve(['init', '--dir', other])).toMatchObject({ status: 6 })
  })
})
