/** `varve serve` of this tree, in the `aws` dialect, on a free port. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export const treeRegion = 'us-east-1'

export interface TreeServer {
  readonly port: number
  stop(): Promise<void>
}

export interface TreeServerOptions {
  readonly dir: string
  /** File of identities. */
  readonly identities: string
  /** File of keys to encrypt with. */
  readonly keyring?: string
  /** @default the server's: closed */
  readonly bucketDefaults?: 'open' | 'closed'
}

export async function serveTree(given: TreeServerOptions): Promise<TreeServer> {
  const { dir, identities, keyring, bucketDefaults } = given
  const varve = fileURLToPath(new URL('../../../packages/varve/bin/varve.js', import.meta.url))
  const place = ['--host', '127.0.0.1', '--port', '0', '--host-suffix', 'localhost']
  const options = [
    '--dialect',
    'aws',
    '--region',
    treeRegion,
    '--identities',
    identities,
    ...(keyring === undefined ? [] : ['--keyring', keyring]),
    ...(bucketDefaults === undefined ? [] : ['--bucket-defaults', bucketDefaults]),
  ]
  const args = [varve, 'serve', '--dir', dir, ...place, ...options, '--json']
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: server.stdout })) {
    const port = /"url":"http:\/\/[^"]*:(\d+)/.exec(line)?.[1]
    if (port === undefined) continue
    server.stdout.resume()
    return {
      port: Number(port),
      async stop() {
        const ended = new Promise((resolve) => server.once('close', resolve))
        server.kill('SIGTERM')
        await ended
      },
    }
  }
  throw new Error('The server ended before it listened.')
}
