/** The same server as `varve serve --workers`: several processes, and nothing of them in this one. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { inject } from 'vitest'
import { givenJournal } from '../../layouts/layout-parts.ts'
import { credentialsOf, type ServerOptions, type TestServer } from './test-server.ts'

export interface WorkersServer extends TestServer {
  readonly pid: number
  /** Ends the server. Its directory stays until it is stopped. */
  halt(): Promise<void>
}

/** Takes these options of `startServer`: the dialect, and the identities with their policies. */
export async function startWorkers(
  workers: number,
  { dialect = 'neutral', policies = {} }: Pick<ServerOptions, 'dialect' | 'policies'> = {},
): Promise<WorkersServer> {
  const scratch = await mkdtemp(join(tmpdir(), 'varve-workers-'))
  const [dir, file] = [join(scratch, 'store'), join(scratch, 'identities.json')]
  const names = ['root', 'ann', 'bob', ...Object.keys(policies)]
  const identities = names.map((name) => {
    const Statement = policies[name]
    const policy = Statement && { policy: { Version: '2012-10-17', Statement } }
    return { name, ...credentialsOf(name), root: name === 'root', ...policy }
  })
  await writeFile(file, JSON.stringify({ identities }), { mode: 0o600 })
  const own = [
    ...(givenJournal === undefined ? [] : ['--layout', `${givenJournal}+files`]),
    '--port',
    '0',
    '--json',
    '--workers',
    String(workers),
    '--grace',
    '500ms',
  ]
  const child = spawn(
    process.execPath,
    [inject('varveCommand'), 'serve', dir, ...own, '--identities', file, '--dialect', dialect],
    {
      env: Object.fromEntries(
        Object.entries(process.env).filter(([name]) => !/^(VARVE_|NODE_OPTIONS|VITEST)/.test(name)),
      ),
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const ended = once(child, 'close')
  const lines = createInterface({ input: child.stdout })
  const [line] = (await Promise.race([once(lines, 'line'), ended.then(() => [''])])) as [string]
  if (line === '') throw new Error('The server ended before it was ready.')
  // Later output is read and dropped, so that the server never waits for us.
  lines.on('line', () => undefined)
  const { url } = JSON.parse(line) as { readonly url: string }
  const port = Number(new URL(url).port)
  const halt = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
  }
  return {
    pid: child.pid as number,
    port,
    host: `127.0.0.1:${port}`,
    dir,
    credentials(who) {
      if (!names.includes(who)) throw new TypeError(`There is no ${who}.`)
      return credentialsOf(who)
    },
    halt,
    async stop() {
      await halt()
      await rm(scratch, { recursive: true, force: true })
    },
  }
}
