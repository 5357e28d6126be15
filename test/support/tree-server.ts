/** `varve serve` of this tree, in the `aws` dialect, on a free port. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const built = fileURLToPath(new URL('../../../packages/varve/bin/varve.js', import.meta.url))
/** A run of vitest sets it: the bundle starts in half the time. */
const varve = process.env['BUNDLED_VARVE'] ?? built

export const treeRegion = 'us-east-1'

export interface TreeServer {
  readonly port: number
  stop(): Promise<void>
}

/** Addresses of a store that servers share. */
export interface SharedStore {
  readonly journal: string
  readonly blobs: string
  /** What has the secrets that the addresses must not have. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface TreeServerOptions {
  /** Its directory, or where its parts are. */
  readonly store: string | SharedStore
  /** File of identities. */
  readonly identities: string
  /** File of keys to encrypt with. */
  readonly keyring?: string
  /** @default the server's: closed */
  readonly bucketDefaults?: 'open' | 'closed'
  /** Called for each request, with its line in the log. */
  readonly onRequest?: (line: string) => void
}

export async function serveTree(given: TreeServerOptions): Promise<TreeServer> {
  const { store, identities, keyring, bucketDefaults, onRequest } = given
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
    ...(onRequest === undefined ? [] : ['--log-requests']),
  ]
  const parts = typeof store === 'string' ? ['--dir', store] : ['--journal', store.journal, '--blobs', store.blobs]
  const args = [varve, 'serve', ...parts, ...place, ...options, '--json']
  const env = { ...process.env, ...(typeof store !== 'string' && store.env) }
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env })
  const ended = new Promise((resolve) => server.once('close', resolve))
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: server.stdout }).on('line', (line) => {
      const found = /"url":"http:\/\/[^"]*:(\d+)/.exec(line)?.[1]
      if (found === undefined) onRequest?.(line)
      else resolve(Number(found))
    })
    void ended.then(() => reject(new Error('The server ended before it listened.')))
  })
  return {
    port,
    async stop() {
      server.kill('SIGTERM')
      await ended
    },
  }
}
