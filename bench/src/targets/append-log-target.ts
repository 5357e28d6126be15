/**
 * Appends bytes to one file, with one fdatasync for each group and places in memory: the least cost of a durable put.
 */
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { grouped } from './grouped.ts'
import { type ObjectTarget, pageEntries } from './object-target.ts'

interface Place {
  readonly start: number
  readonly size: number
}

export async function appendLogTarget(directory: string): Promise<ObjectTarget> {
  await mkdir(directory, { recursive: true })
  const file = await open(join(directory, 'log'), 'w+')
  const places = new Map<string, Place>()
  let end = 0
  const append = grouped<Uint8Array>(async (group) => {
    await writeAll(file, group, end)
    end += group.reduce((sum, bytes) => sum + bytes.length, 0)
    await file.datasync()
  })
  let taken = 0
  return {
    async put(key, body) {
      // Appended in the order of the calls, so the place is known before the bytes are written.
      const start = taken
      taken += body.length
      await append(body)
      places.set(key, { start, size: body.length })
    },
    async get(key) {
      const place = places.get(key)
      if (place === undefined) return undefined
      const bytes = Buffer.allocUnsafe(place.size)
      await file.read(bytes, 0, place.size, place.start)
      return bytes
    },
    head: (key) => Promise.resolve(places.get(key)?.size),
    list: (after) => Promise.resolve(Math.min([...places.keys()].filter((key) => key > after).length, pageEntries)),
    async delete(key) {
      taken += key.length
      await append(Buffer.from(key))
      places.delete(key)
    },
    close: () => file.close(),
  }
}

async function writeAll(file: FileHandle, group: readonly Uint8Array[], start: number): Promise<void> {
  const bytes = group.length === 1 ? (group[0] as Uint8Array) : Buffer.concat(group)
  for (let written = 0; written < bytes.length; ) {
    written += (await file.write(bytes, written, bytes.length - written, start + written)).bytesWritten
  }
}
