import { link, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLevelDirectory } from '../level-journal/open-level-directory.ts'
import { scratchDirectory } from '../scratch-directory.fixture.ts'
import { defuseTable } from './defuse-table.ts'
import { defuseTables } from './defuse-tables.ts'
import { isTableFile } from './level-file-names.ts'
import { LevelFormatError } from './level-reader.ts'
import { maskedCrc } from './masked-crc.ts'
import { type Block, TableFile } from './table-file.ts'

const scratch = scratchDirectory()
const crcOf = await maskedCrc()
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Uncompressed, so that a byte of a row is a byte of the file. */
async function tableOf(
  rows: number,
): Promise<{ readonly path: string; readonly name: string; readonly bytes: Buffer }> {
  const path = scratch.next()
  const options = { writeBufferSize: 64 * 1024, compression: false }
  const db = await openLevelDirectory(path, { createIfMissing: true, ...options })
  const batch = db.batch()
  for (let i = 0; i < rows; i++)
    batch.put(bytesOf(`key ${String(i).padStart(5, '0')}`), bytesOf(`value ${i} `.repeat(5)))
  await batch.write({ sync: false })
  await db.close()
  // The log of the first life becomes a table in the second.
  await (await openLevelDirectory(path, options)).close()
  const [name = ''] = (await readdir(path)).filter(isTableFile)
  return { path, name, bytes: await readFile(join(path, name)) }
}

function changed(bytes: Uint8Array, at: number, byte = (bytes[at] as number) ^ 0x55): Uint8Array {
  const copy = Uint8Array.from(bytes)
  copy[at] = byte
  return copy
}

/** The bytes that were changed. */
const defusedIn = (bytes: Uint8Array): readonly number[] | undefined =>
  defuseTable(bytes, crcOf)?.reduce<number[]>((all, byte, at) => (byte === bytes[at] ? all : [...all, at]), [])

function blocksOf(bytes: Uint8Array): readonly Block[] {
  const table = new TableFile(bytes, crcOf)
  return [...table.entries(table.index)].map((entry) => table.blockOf(entry))
}

describe('a table that LevelDB would stumble over', () => {
  it('is left as it is when it is sound, or damaged in values alone', async () => {
    const { bytes } = await tableOf(2000)
    expect(defuseTable(bytes, crcOf)).toBeUndefined()
    const value = bytes.indexOf('value 1000')
    expect(value).toBeGreaterThan(0)
    expect(defuseTable(changed(bytes, value), crcOf)).toBeUndefined()
  })

  it('loses the block whose keys are out of order, and no other', async () => {
    const { bytes } = await tableOf(2000)
    const [first, second, ...others] = blocksOf(bytes)
    expect(others.length).toBeGreaterThan(3)
    if (first === undefined || second === undefined) throw new TypeError('There are no blocks.')
    const key = bytes.indexOf('key 0', second.offset)
    expect(key).toBeLessThan(second.end)
    expect(defusedIn(changed(bytes, key, 0x7a))).toEqual([second.end])
    expect(defusedIn(changed(bytes, key, 0x20))).toEqual([second.end])
    // The length of the prefix that a key shares with the one before.
    expect(defusedIn(changed(bytes, first.offset, 0x70))).toEqual([first.end])
  })

  it('loses its index when that is damaged, and its end when it points to nowhere', async () => {
    const { bytes } = await tableOf(2000)
    const { index } = new TableFile(bytes, crcOf)
    expect(defusedIn(changed(bytes, index.offset + 3))).toEqual([index.end])
    for (let at = bytes.length - 48; at < bytes.length; at++) {
      const defused = defuseTable(changed(bytes, at, 0xff), crcOf)
      const left = defused ?? changed(bytes, at, 0xff)
      // Either it makes no difference, or LevelDB finds no table there.
      try {
        expect(blocksOf(left).length).toBeGreaterThan(0)
      } catch (error) {
        expect(error).toBeInstanceOf(LevelFormatError)
      }
    }
  })

  it('is changed in the copy, though that is a second name of the same file', async () => {
    const { path, name, bytes } = await tableOf(2000)
    const second = blocksOf(bytes)[1] as Block
    await writeFile(join(path, name), changed(bytes, bytes.indexOf('key 0', second.offset), 0x7a))
    const before = await readFile(join(path, name))
    const copy = scratch.next()
    await mkdir(copy)
    await link(join(path, name), join(copy, name))
    expect(await defuseTables(copy, [name, 'CURRENT', '999999.ldb'])).toBe(true)
    expect(await readFile(join(path, name))).toEqual(before)
    expect(await readFile(join(copy, name))).not.toEqual(before)
    expect(await defuseTables(copy, [name])).toBe(false)
  })
})
