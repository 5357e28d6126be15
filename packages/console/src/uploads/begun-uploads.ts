/**
 * With which file an upload was begun, kept by this browser: the server does not know the size and the time of a file that has
 * not arrived. Nothing of the name, the bytes or the key is kept.
 */

import { schema } from '@varve/core'

export interface FileFacts {
  readonly size: number
  /** Milliseconds since 1970; absent for what is no file of a disk. */
  readonly lastModified?: number | undefined
}

export const factsOf = (file: Blob): FileFacts => ({
  size: file.size,
  ...(file instanceof File && { lastModified: file.lastModified }),
})

const prefix = 'varve.upload.'
const keptMs = 60 * 86_400_000

interface Kept extends FileFacts {
  readonly begunAt: number
}

const keptShape = schema.object<Kept>({
  size: schema.integer({ min: 0 }),
  lastModified: schema.optional(schema.integer()),
  begunAt: schema.integer(),
})

export function rememberUpload(uploadId: string, file: Blob): void {
  withStorage((storage) => {
    removeOld(storage)
    storage.setItem(prefix + uploadId, JSON.stringify({ ...factsOf(file), begunAt: Date.now() } satisfies Kept))
  })
}

/** `undefined` for an upload that another browser or another program began. */
export const fileOfUpload = (uploadId: string): FileFacts | undefined =>
  withStorage((storage) => read(storage.getItem(prefix + uploadId)))

export const forgetUpload = (uploadId: string): void => {
  withStorage((storage) => storage.removeItem(prefix + uploadId))
}

function removeOld(storage: Storage): void {
  for (const name of Object.keys(storage).filter((one) => one.startsWith(prefix))) {
    const kept = read(storage.getItem(name))
    if (kept === undefined || Date.now() - kept.begunAt > keptMs) storage.removeItem(name)
  }
}

function read(text: string | null): Kept | undefined {
  if (text === null) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return keptShape.accepts(value) ? keptShape.read(value) : undefined
  } catch {
    return undefined
  }
}

/** A browser may forbid its storage to pages, and it may be full: then the parts alone show which file it was. */
function withStorage<T>(run: (storage: Storage) => T): T | undefined {
  try {
    return run(localStorage)
  } catch {
    return undefined
  }
}
