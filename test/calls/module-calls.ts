/** What the packages export beside stores. Whatever a call opens is closed again, and files are in a directory of its own. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyring, file, memoryStore, toFile } from 'varve'
import { createFetchHandler, createHandler, serve } from 'varve/http'

/** The file system's and the network's own errors pass as they are. */
async function systemErrorsAside<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return undefined
    throw error
  }
}

async function inScratch<T>(act: (dir: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'varve-modules-'))
  try {
    return await act(dir)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

export const moduleCalls = {
  createKeyring: (material: never) => createKeyring(material),
  async memoryStore(options: never) {
    const store = await memoryStore(options)
    await store.close()
  },
  async file(path: unknown) {
    await inScratch(async (dir) => {
      const place = join(dir, 'read')
      await writeFile(place, 'bytes')
      for await (const chunk of file((path === 'read' ? place : path) as string)) if (chunk.length > 0) break
    })
  },
  async toFile(content: never, path: unknown, options: never) {
    // Texts name files in the directory, however odd they are.
    const inside = (dir: string) =>
      typeof path === 'string' && path !== '' ? join(dir, Buffer.from(path).toString('hex').slice(0, 40)) : path
    await inScratch((dir) => systemErrorsAside(() => toFile(content, inside(dir) as string, options)))
  },
  async createHandler(options: never) {
    await createHandler(options)
  },
  async createFetchHandler(options: never) {
    await createFetchHandler(options)
  },
  async answer(options: never, request: never) {
    const handler = await createFetchHandler(options)
    await (await handler(request)).text()
  },
  async serve(options: never, closing: never) {
    const server = await systemErrorsAside(() => serve(options))
    try {
      await server?.close(closing)
    } finally {
      await server?.close({ graceMs: 0 })
    }
  },
}
