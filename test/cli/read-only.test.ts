/** `--read-only`: commands that read, on a store of which nothing may be touched. */
import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { openStore } from 'varve'
import { treeOf } from '#varve/store/open-read-only.fixture'
import { jsonLines, scratchPaths, varve } from './run-varve.ts'

const next = scratchPaths()
const run = promisify(execFile)
const dir = next()
const commands = [
  ['log'],
  ['history', 's3://photos/a'],
  ['ls', 's3://photos', '--versions'],
  ['cat', 's3://photos/a'],
  ['verify', '--json'],
].map((args) => ({ name: args[0], args }))

beforeAll(async () => {
  const store = await openStore(dir, { inlineMax: 0 })
  await store.buckets.create('photos')
  await store.objects.put('photos', 'a', 'hello')
  await store.close()
})

describe('commands that read', () => {
  it.each(commands)('$name touches nothing with --read-only, and shows the same', async ({ args }) => {
    const before = await treeOf(dir)
    const alone = await varve([...args, '--read-only', '--dir', dir])
    expect(await treeOf(dir)).toEqual(before)
    expect(alone).toMatchObject({ status: 0, stderr: '' })
    expect((await varve([...args, '--dir', dir])).stdout).toBe(alone.stdout)
  })

  it.each(commands)('$name needs no option where nothing can be written', async ({ args }) => {
    const mounted = next()
    await mkdir(mounted)
    try {
      await run('mount', ['--bind', dir, mounted])
    } catch (error) {
      // Without the right to mount, the option is what is left to try.
      process.stderr.write(`No read-only mount here: ${String(error)}\n`)
      expect(await varve([...args, '--read-only', '--dir', dir])).toMatchObject({ status: 0 })
      return
    }
    try {
      await run('mount', ['-o', 'remount,bind,ro', mounted])
      expect(await varve([...args, '--dir', mounted])).toMatchObject({ status: 0, stderr: '' })
    } finally {
      await run('umount', [mounted])
    }
  })

  it('read beside a server that pauses', async () => {
    const shared = next()
    const owner = await openStore(shared, { controlSocket: false })
    await owner.buckets.create('photos')
    await owner.objects.put('photos', 'a', 'hello')
    expect(await varve(['cat', 's3://photos/a', '--dir', shared])).toMatchObject({ status: 3 })
    const seen = await varve(['cat', 's3://photos/a', '--read-only', '--dir', shared])
    expect(seen).toMatchObject({ status: 0, stdout: 'hello' })
    await owner.close()
  })

  it('salvage from what cannot be written, and refuse to repair or follow it', async () => {
    const into = next()
    const before = await treeOf(dir)
    const saved = await varve(['verify', '--read-only', '--json', '--salvage', into, '--dir', dir])
    expect(saved).toMatchObject({ status: 0 })
    expect(jsonLines(saved.stdout).at(-1)).toMatchObject({ kind: 'salvaged', events: 3, eventsLost: 0 })
    expect(await varve(['verify', '--read-only', '--repair', '--dir', dir])).toMatchObject({ status: 2 })
    expect(await varve(['log', '--read-only', '--follow', '--dir', dir])).toMatchObject({ status: 2 })
    expect(await treeOf(dir)).toEqual(before)
  })

  it('report that there is no store, with status 6, and make none', async () => {
    const other = next()
    expect(await varve(['ls', '--read-only', '--dir', other])).toMatchObject({ status: 6 })
    await mkdir(other)
    await writeFile(`${other}/letter.txt`, 'dear reader')
    expect(await varve(['ls', '--read-only', '--dir', other])).toMatchObject({ status: 6 })
    await rm(other, { recursive: true })
  })
})
