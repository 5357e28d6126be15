/** HTTP servers on loopback: a store behind its server, or a program of a few lines as a floor. */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from '@varve/http'
import { createIdentity, serve } from 'varve/http'
import type { Layout } from '../plan/layouts.ts'
import { fileTarget } from '../targets/file-target.ts'
import type { ObjectTarget } from '../targets/object-target.ts'
import { memoryTarget } from '../targets/memory-target.ts'
import { bucket } from '../targets/store-target.ts'
import { benchCredentials } from '../basics/credentials.ts'
import type { FloorServerName } from './floor-server-names.ts'

export interface Served {
  readonly url: string
  close(): Promise<void>
}

export async function serveLayout(layout: Layout, directory: string): Promise<Served> {
  const store = await layout.open(directory)
  try {
    const { region, ...keys } = benchCredentials
    const root = createIdentity({ name: 'bench', root: true, ...keys })
    await store.as({ by: { id: root.id, name: root.displayName } }).buckets.create(bucket)
    const server = await serve({ store, identities: [root], port: 0, region })
    return {
      url: server.url,
      async close() {
        await server.close({ graceMs: 0 })
        await store.close()
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Servers of a few lines, without signatures or versions; `node-files` hashes the bodies, which an ETag needs. */
export const floorServers: Record<FloorServerName, (directory: string) => Promise<Served>> = {
  'node-http': () => serveTarget(memoryTarget(), { hashes: false }),
  'node-files': async (directory) => serveTarget(await fileTarget(directory), { hashes: true }),
}

async function serveTarget(target: ObjectTarget, { hashes }: { readonly hashes: boolean }): Promise<Served> {
  const server = createServer((request, response) => {
    answer(target, request, response, hashes).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  const port = await listen(server, '127.0.0.1', 0)
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
      await target.close()
    },
  }
}

async function answer(target: ObjectTarget, request: IncomingMessage, response: ServerResponse, hashes: boolean) {
  const [path = '', query = ''] = (request.url ?? '').split('?')
  const key = decodeURIComponent(path.slice(bucket.length + 2))
  const found = (length: number | undefined) =>
    response.writeHead(length === undefined ? 404 : 200, { 'content-length': length ?? 0 })
  switch (request.method) {
    case 'PUT':
      await take(target, key, await bodyOf(request), hashes)
      return found(0).end()
    case 'DELETE':
      await target.delete(key)
      return response.writeHead(204).end()
    case 'HEAD':
      return found(await target.head(key)).end()
    default: {
      const body = query === '' ? await target.get(key) : await page(target, query)
      return found(body?.length).end(body)
    }
  }
}

/** Computes an ETag, and the hash that checks a client's signature over the body. */
async function take(target: ObjectTarget, key: string, body: Buffer, hashes: boolean): Promise<void> {
  if (hashes) for (const algorithm of ['md5', 'sha256']) createHash(algorithm).update(body).digest('hex')
  await target.put(key, body)
}

const page = async (target: ObjectTarget, query: string): Promise<Buffer> =>
  Buffer.from('<Key>k</Key>'.repeat(await target.list(new URLSearchParams(query).get('start-after') ?? '')))

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
