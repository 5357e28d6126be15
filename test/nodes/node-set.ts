/** Several servers of one store on PostgreSQL and S3: engines of this process, each with connections of its own, or processes of their own. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPostgresJournal } from '@varve/adapters/postgres'
import { openS3Blobs } from '@varve/adapters/s3'
import { openStore, type Store } from 'varve'
import { httpService, libraryService, serviceAt, type TestService } from '../model/apis.ts'
import { Bindings } from '../model/bindings.ts'
import type { Api } from '../model/history.ts'
import { startSharedServers } from '../support/shared-servers.ts'
import { serveTree, type TreeServer, treeRegion } from '../support/tree-server.ts'

export interface NodeSet {
  /** Of each node its server and, in this process, its library. */
  readonly apis: readonly Api[]
  /** Engines of this process on the store of the nodes. The first one reads the log. */
  readonly stores: readonly [Store, ...Store[]]
  close(): Promise<void>
}

export interface NodeSetOptions {
  readonly nodes: number
  /** Each node is a process. @default false */
  readonly processes?: boolean
}

const [bucket, prefix] = ['blobs', 'histories/']
/** On a busy machine, the pause between two requests can be longer than a server keeps a connection. */
const connections = { keepAlive: false }
const credentials = { accessKeyId: 'AK-root', secretAccessKey: 'the-secret-of-root' }

export async function startNodes({ nodes, processes = false }: NodeSetOptions): Promise<NodeSet> {
  const closing: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    for (const each of closing.splice(0).toReversed()) await each()
  }
  try {
    const shared = await startSharedServers()
    closing.push(() => shared.stop())
    const bindings = new Bindings()
    const openOne = async (): Promise<Store> => {
      const { store, closeAll } = await openEngine(shared.env)
      closing.push(closeAll)
      return store
    }
    const stores: [Store, ...Store[]] = [await openOne()]
    while (!processes && stores.length < nodes) stores.push(await openOne())
    const services: TestService[] = []
    const add = (service: TestService): void => {
      services.push(service)
      closing.push(() => service.close())
    }
    if (!processes) {
      for (const store of stores) {
        add(await httpService(store, bindings, connections))
        add(await libraryService(store, bindings))
      }
    } else for (const { port } of await startProcesses(nodes, shared.env, closing)) add(serviceOf(port, bindings))
    return { apis: services.map(({ api }) => api), stores, close }
  } catch (error) {
    await close()
    throw error
  }
}

type Variables = Readonly<Record<string, string>>

async function openEngine(env: Variables): Promise<{ readonly store: Store; closeAll(): Promise<void> }> {
  const address = new URL(env['VARVE_POSTGRES'] ?? '')
  address.password = env['PGPASSWORD'] ?? ''
  const journal = await openPostgresJournal({ connectionString: address.href })
  const blobs = await openS3Blobs({
    endpoint: env['VARVE_S3_BLOBS'] ?? '',
    region: 'eu',
    bucket,
    prefix,
    credentials: {
      accessKeyId: env['AWS_ACCESS_KEY_ID'] ?? '',
      secretAccessKey: env['AWS_SECRET_ACCESS_KEY'] ?? '',
    },
  })
  // With such a limit, a third of the objects are blobs.
  const store = await openStore({ journal, blobs }, { inlineMax: 64 })
  return {
    store,
    async closeAll() {
      await store.close()
      await blobs.close()
      await journal.close()
    },
  }
}

async function startProcesses(
  count: number,
  env: Variables,
  closing: (() => Promise<void>)[],
): Promise<readonly TreeServer[]> {
  const scratch = await mkdtemp(join(tmpdir(), 'varve-nodes-'))
  closing.push(() => rm(scratch, { recursive: true }))
  const identities = join(scratch, 'identities.json')
  const root = { name: 'root', ...credentials, root: true }
  await writeFile(identities, JSON.stringify({ identities: [root] }), { mode: 0o600 })
  const { VARVE_POSTGRES: journal = '', VARVE_S3_BLOBS: endpoint = '', ...secrets } = env
  const blobs = `s3://${bucket}/${prefix}?region=eu&endpoint=${encodeURIComponent(endpoint)}`
  const servers: TreeServer[] = []
  for (let node = 0; node < count; node++) {
    const server = await serveTree({ store: { journal, blobs, env: secrets }, identities })
    closing.push(() => server.stop())
    servers.push(server)
  }
  return servers
}

function serviceOf(port: number, bindings: Bindings): TestService {
  const address = { port, host: `127.0.0.1:${port}`, credentials: () => credentials }
  return serviceAt({ ...address, dir: '', stop: () => Promise.resolve() }, bindings, {
    region: treeRegion,
    ...connections,
  })
}
