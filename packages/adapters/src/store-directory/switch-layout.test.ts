import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type FileCall, faultyFileSystem, systemError } from '../files/faulty-file-system.fixture.ts'
import type { FileSystem } from '../files/file-system.ts'
import { nodeFileSystem } from '../files/node-file-system.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { readFormat, type StoreFormat, writeFormat } from './store-format.ts'
import { storePaths } from './store-paths.ts'
import { finishSwitch, migrationDirectory, switchLayout } from './switch-layout.ts'

const scratch = scratchDirectory()
const old: StoreFormat = { storeId: 'ab'.repeat(16), version: 1, state: 'ready', layout: 'level+files' }
const made: StoreFormat = { ...old, layout: 'segments+tiered' }

async function place(dir: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(dir, path, '..'), { recursive: true })
    await writeFile(join(dir, path), text)
  }
}

/** What a store looks like from outside, and beside it what is to take its place. */
async function prepared(): Promise<string> {
  const dir = scratch.next()
  await place(dir, {
    'events/1': 'old',
    'blobs/ab/1': 'old',
    'tmp/x': 'old',
    witness: 'old',
    seal: 'old',
    mine: 'kept',
  })
  await place(migrationDirectory(dir), { 'events/1': 'new', 'blobs/1': 'new', 'segments/1': 'new', witness: 'new' })
  await writeFormat(nodeFileSystem, storePaths(dir).format, old)
  return dir
}

async function contents(dir: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && entry.name !== 'FORMAT')
  const texts = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name)
    return [path.slice(dir.length + 1), await readFile(path, 'utf8')] as const
  })
  return Object.fromEntries(await Promise.all(texts))
}

const after = { 'events/1': 'new', 'blobs/1': 'new', 'segments/1': 'new', 'tmp/x': 'old', witness: 'new', mine: 'kept' }

/** As opening the store does. */
async function taken(fs: FileSystem, dir: string): Promise<StoreFormat | undefined> {
  const format = await readFormat(fs, storePaths(dir).format)
  return format?.state === 'switching' ? finishSwitch(fs, dir, format) : format
}

describe('a store that takes over what a migration made', () => {
  it('has all of it and nothing of what it replaces', async () => {
    const dir = await prepared()
    await switchLayout(nodeFileSystem, dir, made)
    expect(await taken(nodeFileSystem, dir)).toEqual(made)
    expect(await contents(dir)).toEqual(after)
    expect(await readdir(dir)).not.toContain('migrating')
  })

  it('has all of it or nothing, whichever step fails, and finishes when it is opened again', async () => {
    const outcomes = new Set<string>()
    let failed = true
    for (let at = 1; failed; at++) {
      const dir = await prepared()
      const judge = ({ count }: FileCall): undefined => {
        if (count === at) throw systemError('EIO')
      }
      failed = await switchLayout(faultyFileSystem(judge).fs, dir, made).then(
        () => false,
        () => true,
      )
      // Opening it may fail as well, at any step.
      await taken(faultyFileSystem(judge).fs, dir).catch(() => undefined)
      const format = await taken(nodeFileSystem, dir)
      if (format?.layout === made.layout) {
        expect(await contents(dir), `effect ${at}`).toEqual(after)
        expect(await readdir(dir), `effect ${at}`).not.toContain('migrating')
      } else {
        expect(format).toEqual(old)
        expect(await contents(dir), `effect ${at}`).toMatchObject({
          'events/1': 'old',
          'blobs/ab/1': 'old',
          witness: 'old',
        })
      }
      outcomes.add(`${failed ? 'failed' : 'done'}, ${format?.layout}`)
    }
    expect([...outcomes].sort()).toEqual(['done, segments+tiered', 'failed, level+files', 'failed, segments+tiered'])
  })

  it('goes back to files as well, and keeps no segments', async () => {
    const dir = await prepared()
    await switchLayout(nodeFileSystem, dir, made)
    await place(migrationDirectory(dir), { 'events/1': 'third', 'blobs/1': 'third', witness: 'third' })
    await switchLayout(nodeFileSystem, dir, old)
    expect(await taken(nodeFileSystem, dir)).toEqual(old)
    expect(await contents(dir)).toMatchObject({ 'events/1': 'third', 'blobs/1': 'third', witness: 'third' })
    expect(await readdir(dir)).not.toContain('segments')
  })
})
