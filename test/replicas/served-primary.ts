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
  /** SIGSTOP and SIGCONT. */
  pause(): void
  goOn(): void
  /** SIGKILL. Resolves when the process is gone. */
  kill(): Promise<void>
}

export const servePrimary = ({ dir, replica, everyMs, isSynchronous, env }: PrimaryOptions): Promise<Primary> => {
  const replicating = ['--replicate', replica, '--replicate-every', `${everyMs}ms`]
  const waiting = isSynchronous ? ['--replicate-sync', 'refuse'] : []
  return serve(['serve', dir, ...replicating, ...waiting], env)
}

/** `varve serve --follow`. */
export const serveFollower = ({
  dir,
  replica,
  everyMs,
  env,
}: Omit<PrimaryOptions, 'isSynchronous'>): Promise<Primary> =>
  serve(['serve', dir, '--follow', replica, '--follow-every', `${everyMs}ms`], env)

async function serve(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Primary> {
  const server = spawn(process.execPath, [varve, ...args, '--port', '0', '--region', 'eu', '--json'], {
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
    pause: () => void server.kill('SIGSTOP'),
    goOn: () => void server.kill('SIGCONT'),
    async kill() {
      server.kill('SIGKILL')
      await ended
    },
  }
}
