/** Several servers of one store, behind one port that gives each connection to the next server. */
import { connect, createServer, type Server, type Socket } from 'node:net'
import { startSharedServers } from '../support/shared-servers.ts'
import { type SharedStore, serveTree, type TreeServer, type TreeServerOptions } from '../support/tree-server.ts'

interface NodesOptions extends Omit<TreeServerOptions, 'store'> {
  /** The address of an S3 store. @default one that is started */
  readonly blobs?: string | undefined
}

export async function serveNodes(count: number, { blobs, ...options }: NodesOptions): Promise<TreeServer> {
  if (!Number.isInteger(count) || count < 1) throw new TypeError('The number of nodes is a whole number above 0.')
  const shared = await startSharedServers()
  const nodes: TreeServer[] = []
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop()))
    await shared.stop()
  }
  try {
    const store = storeOn(shared.env, blobs)
    for (let node = 0; node < count; node++) nodes.push(await serveTree({ ...options, store }))
    const balancer = await balance(nodes.map(({ port }) => port))
    return {
      port: balancer.port,
      async stop() {
        balancer.server.close()
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

function storeOn(env: Readonly<Record<string, string>>, blobs: string | undefined): SharedStore {
  const { VARVE_POSTGRES: journal = '', VARVE_S3_BLOBS: endpoint = '', PGPASSWORD, ...keys } = env
  if (blobs !== undefined) return { journal, blobs, env: { PGPASSWORD } }
  const started = `s3://blobs/s3-tests?region=eu&endpoint=${encodeURIComponent(endpoint)}`
  return { journal, blobs: started, env: { PGPASSWORD, ...keys } }
}

async function balance(ports: readonly number[]): Promise<{ readonly port: number; readonly server: Server }> {
  let turn = 0
  const server = createServer({ allowHalfOpen: true }, (client) =>
    join(client, connect({ port: ports[turn++ % ports.length] as number, host: '127.0.0.1', allowHalfOpen: true })),
  )
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return { port: (server.address() as { readonly port: number }).port, server }
}

function join(client: Socket, node: Socket): void {
  for (const [one, other] of [
    [client, node],
    [node, client],
  ] as const) {
    one.on('error', () => other.destroy())
    one.once('close', () => other.destroySoon())
    one.pipe(other)
  }
}
