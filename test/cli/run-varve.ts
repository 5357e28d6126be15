/** The command, in this process or in one of its own: to its end, or as a server that answers requests meanwhile. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { varve as varveHere } from '#varve/cli/run-main.fixture'
import { afterAll, afterEach, inject, vi } from 'vitest'

export const binary = inject('varveCommand')

export interface Outcome {
  /** `null` when a signal ended it. */
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export type Variables = Readonly<Record<string, string>>

/** Nothing of what this machine has set for itself. */
const cleanEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(VARVE_|NODE_OPTIONS|VITEST|FORCE_COLOR)/.test(name)),
)

/** A directory that is removed after the tests of the file, and unused paths in it. Call it at the top of the file. */
export function scratchPaths(): () => string {
  // Every child is a process that starts Node: on a busy machine that adds up. Files share this module, so it is set for each.
  vi.setConfig({ testTimeout: 60_000 })
  const root = mkdtempSync(join(tmpdir(), 'varve-cli-'))
  let count = 0
  afterAll(() => rm(root, { recursive: true, force: true }))
  return () => join(root, String(++count))
}

/** Commands that belong to a process: they serve, take its signals, or measure it. */
const apart = new Set(['serve', 'mcp', 'bench', 'demo'])

/**
 * Runs a command to its end. Most run in this process, which takes a tenth of the time that Node takes to start; `start`
 * runs any of them as people do.
 */
export const varve = (args: readonly string[], env: Variables = {}): Promise<Outcome> =>
  Object.keys(env).length > 0 || apart.has(args[0] ?? '') ? start(args, env).ended : runHere(args)

async function runHere(args: readonly string[]): Promise<Outcome> {
  for (const name of Object.keys(process.env)) if (name.startsWith('VARVE_')) delete process.env[name]
  const { stdout, ...ended } = await varveHere(args)
  return { signal: null, stdout: Buffer.from(stdout, 'latin1').toString(), ...ended }
}

export interface Running {
  readonly process: ChildProcess
  readonly ended: Promise<Outcome>
  stdout(): string
  stderr(): string
  /** Resolves with the first line of standard output that satisfies. */
  line(wanted: (line: string) => boolean): Promise<string>
}

/** `before` is what the shell does first, such as setting a limit. */
export function start(args: readonly string[], env: Variables = {}, before = ''): Running {
  const command = before === '' ? [process.execPath, binary, ...args] : shell(before, args)
  const [file = '', ...rest] = command
  // The default port may be that of a server of somebody.
  const port = args[0] === 'serve' ? { VARVE_PORT: '0' } : {}
  const child = spawn(file, rest, { env: { ...cleanEnvironment, ...port, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const text = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (data: string) => (text.stdout += data))
  child.stderr.setEncoding('utf8').on('data', (data: string) => (text.stderr += data))
  const ended = once(child, 'close').then(([status, signal]) => ({
    status: status as number | null,
    signal: signal as NodeJS.Signals | null,
    ...text,
  }))
  const line = async (wanted: (line: string) => boolean): Promise<string> => {
    for (;;) {
      const found = text.stdout.split('\n').slice(0, -1).find(wanted)
      if (found !== undefined) return found
      const more = await Promise.race([once(child.stdout, 'data').then(() => true), ended.then(() => false)])
      if (!more) throw new Error(`It ended without such a line.\n${text.stdout}\n${text.stderr}`)
    }
  }
  return { process: child, ended, stdout: () => text.stdout, stderr: () => text.stderr, line }
}

const shell = (before: string, args: readonly string[]): string[] => [
  '/bin/sh',
  '-c',
  `${before} && exec "$0" "$@"`,
  process.execPath,
  binary,
  ...args,
]

export interface Server extends Running {
  readonly url: string
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Outcome>
}

const servers = new Set<ChildProcess>()

/** Ends every server a test of the file has left. Call once, at the top of the file. */
export function endServersAfterEach(): void {
  afterEach(() => {
    for (const child of servers) child.kill('SIGKILL')
    servers.clear()
  })
}

/** Starts `varve serve --port 0 …` and waits until it answers. */
export async function serve(args: readonly string[], env: Variables = {}, before = ''): Promise<Server> {
  const running = start(['serve', '--port', '0', ...args], env, before)
  servers.add(running.process)
  void running.ended.then(() => servers.delete(running.process))
  const ready = await running.line((line) => /^Serving |"kind":"ready"/.test(line))
  const [url = ''] = /https?:\/\/[^\s"]+/.exec(ready) ?? []
  return {
    ...running,
    url,
    stop(signal = 'SIGTERM') {
      running.process.kill(signal)
      return running.ended
    },
  }
}

/** Standard output as JSON, line by line. */
export const jsonLines = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
