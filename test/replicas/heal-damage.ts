/** What a disk or a hand can do to what a replica has too: blobs, short bytes and data keys, events. */
import { readdir, rename, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { openLevelDirectory } from '@varve/adapters'
import { openedParts } from '@varve/core'
import { openStore } from 'varve'
import type { Random } from '../support/random.ts'
import { overwrite, sizeOf } from '../support/overwrite.ts'
import { quiet } from './heal-material.ts'

/** Resolves with what was done, for people. */
export type Damage = (dir: string, random: Random) => Promise<readonly string[]>

const damagesMax = 5

/** Some files of blobs. */
export const damageBlobs: Damage = (dir, random) => damageFiles(dir, ['blobs', 'segments'], random)

/** Some files of a folder: bits, lengths, names. */
export async function damageFiles(dir: string, folders: readonly string[], random: Random): Promise<readonly string[]> {
  const done: string[] = []
  for (let left = random.between(1, damagesMax); left > 0; left--) {
    const files = await filesIn(dir, folders)
    if (files.length === 0) break
    done.push(await damageFile(random.pick(files), files, random))
  }
  return done
}

async function damageFile(path: string, files: readonly string[], random: Random): Promise<string> {
  const size = await sizeOf(path)
  const name = path.split('/').slice(-2).join('/')
  const how = random.pick(['flip', 'flip', 'zero', 'cut', 'delete', 'swap'] as const)
  if (how === 'delete') await rm(path)
  if (how === 'cut') await truncate(path, random.below(size + 1))
  if (how === 'flip' || how === 'zero') {
    const length = Math.min(size, how === 'flip' ? 1 : random.pick([16, 4096]))
    await overwrite(path, random.below(Math.max(1, size - length + 1)), (bytes) =>
      how === 'zero' ? bytes.fill(0, 0, length) : bytes.fill((bytes[0] ?? 0) ^ (1 << random.below(8)), 0, 1),
    )
  }
  if (how === 'swap') {
    const other = random.pick(files)
    if (other === path) return `${name} stays`
    await rename(path, `${path}.aside`)
    await rename(other, path)
    await rename(`${path}.aside`, other)
  }
  return `${how} ${name}`
}

async function filesIn(dir: string, folders: readonly string[]): Promise<readonly string[]> {
  const found: string[] = []
  for (const folder of folders) {
    const entries = await readdir(join(dir, folder), { recursive: true, withFileTypes: true }).catch(() => [])
    for (const entry of entries) if (entry.isFile()) found.push(join(entry.parentPath, entry.name))
  }
  return found.sort()
}

const sideRows = { gte: Uint8Array.of(0x80), lt: Uint8Array.of(0x82) }

/** Some rows with short bytes or data keys, through the journal: its own checksums are right. */
export const damageRows: Damage = async (dir, random) => {
  const store = await openStore(dir, quiet)
  try {
    const { journal } = openedParts(store)
    const cursor = journal.cursor(sideRows)
    const rows = await cursor.next(1000)
    await cursor.close()
    const done: string[] = []
    for (let left = random.between(1, damagesMax); left > 0; left--) {
      const [key, frame] = random.pick(rows)
      const how = random.pick(['flip', 'cut', 'delete', 'other'] as const)
      const value = {
        flip: () => flipped(frame, random),
        cut: () => frame.subarray(0, random.below(frame.length)),
        delete: () => null,
        other: () => random.pick(rows)[1],
      }[how]()
      await journal.commit({ events: [], rows: [{ key, value }] })
      done.push(`${how} row ${Buffer.from(key).toString('latin1').slice(1, 9)}`)
    }
    return done
  } finally {
    await store.close()
  }
}

/** Some events, through LevelDB. Never the last ones: what is behind them proves what they were. */
export const damageEvents: Damage = async (dir, random) => {
  const db = await openLevelDirectory(join(dir, 'events'))
  try {
    const iterator = db.iterator({ gte: Uint8Array.of(0), lt: Uint8Array.of(1) })
    const events = await iterator.nextv(10_000)
    await iterator.close()
    const batch = db.batch()
    const done: string[] = []
    for (let left = random.between(1, damagesMax); left > 0; left--) {
      const at = random.below(events.length - 2)
      const [key, frame] = events[at] as [Uint8Array, Uint8Array]
      const how = random.pick(['flip', 'cut', 'delete', 'forge', 'other'] as const)
      if (how === 'delete') batch.del(key)
      if (how === 'flip') batch.put(key, flipped(frame, random))
      if (how === 'cut') batch.put(key, frame.subarray(0, random.below(frame.length)))
      if (how === 'forge') batch.put(key, sealed(key, flipped(frame.subarray(5), random)))
      if (how === 'other') batch.put(key, sealed(key, random.pick(events)[1].subarray(5)))
      done.push(`${how} event ${at + 1}`)
    }
    await batch.write({ sync: false })
    return done
  } finally {
    await db.close()
  }
}

function flipped(bytes: Uint8Array, random: Random): Uint8Array {
  const copy = Uint8Array.from(bytes)
  const at = random.below(Math.max(1, copy.length))
  if (copy.length > 0) copy[at] = (copy[at] as number) ^ (1 << random.below(8))
  return copy
}

/** A frame of an event whose checksum is right. */
function sealed(key: Uint8Array, payload: Uint8Array): Uint8Array {
  const rest = Buffer.concat([Uint8Array.of(2), payload])
  const frame = Buffer.alloc(4 + rest.length)
  frame.writeUInt32BE(crc32(rest, crc32(key)))
  rest.copy(frame, 4)
  return frame
}
