/** `varve serve` with a replica, as a process that a test kills. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const built = fileURLToPath(new URL('../../../packages/varve/bin/varve.js', import.meta.url))
/** A run of vitest sets it: the bundle starts in half the time. */
const varve = process.env['BUNDLED_VARVE'] ?? built

export interface PrimaryOptions {
  readonly dir: string
  /** The address of the replica. */
  readonly replica: string
  readonly everyMs: number
  /** Writes wait for the replica. */
  readonly isSynchronous: boolean
  /** The credentials of the replica. */
  readonly env: Readonly<Record<string, string>>
}

export interface Primary {
  readonly url: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** SIGKILL. Resolves when the process is gone. */
  kill(): Promise<void>
}

export async function servePrimary(options: PrimaryOptions): Promise<Primary> {
  const { dir, replica, everyMs, isSynchronous, env } = options
  const replicating = ['--replicate', replica, '--replicate-every', `${everyMs}ms`]
  const waiting = isSynchronous ? ['--replicate-sync', 'refuse'] : []
  const args = [varve, 'serve', dir, '--port', '0', '--region', 'eu', '--json', ...replicating, ...waiting]
  const server = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  const ended = new Promise<void>((resolve) => server.once('close', () => resolve()))
  const seen: Record<string, string> = {}
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: server.stdout }).on('line', (line) => {
      const { kind, ...fields } = JSON.parse(line) as Record<string, string>
      Object.assign(seen, fields)
      if (kind === 'ready') resolve()
      if (kind === 'replica-failed') console.error(line)
    })
    void ended.then(() => reject(new Error('The server ended before it listened.')))
  })
  const { url = '', accessKeyId = '', secretAccessKey = '' } = seen
  return {
    url,
    accessKeyId,
    secretAccessKey,
    async kill() {
      server.kill('SIGKILL')
      await ended
    },
  }
}
