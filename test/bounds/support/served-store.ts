/** `varve serve` as a process of its own, so that its memory and its open files are its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'

const built = join(dirname(createRequire(import.meta.url).resolve('varve/package.json')), 'bin/varve.js')
/** A run of vitest sets it: the bundle starts in half the time. */
const command = process.env['BUNDLED_VARVE'] ?? built

export const credentials = { accessKeyId: 'VARVEBOUNDS', secretAccessKey: 'a-secret-for-these-tests-only' }

export interface ServedOptions {
  /** A module that is loaded before anything of the server is. It is talked to by messages. */
  readonly preload?: string
  readonly args?: readonly string[]
  /** Beside what the process gets in any case. */
  readonly environment?: Readonly<Record<string, string>>
  /** Receives the events of its store: that it failed, is tried again, is open again. */
  readonly onEvent?: (kind: string) => void
}

export interface Served {
  readonly process: ChildProcess
  readonly pid: number
  readonly port: number
  /** How often its store failed and had to be opened again. */
  failures(): number
  /** What it wrote to standard error. */
  complaints(): string
  /** Sends the signal and waits for the end; the signal or status it ended with. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | null>
}

/** Nothing of what this machine has set for itself. */
const cleanEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(VARVE_|NODE_|VITEST|FORCE_COLOR)/.test(name)),
)

/** Resolves when it takes requests. @throws Error when it ends before */
export async function serveStore(directory: string, options: ServedOptions = {}): Promise<Served> {
  const { preload, args = [], environment, onEvent } = options
  const node = [
    ...(preload === undefined ? [] : ['--import', preload]),
    command,
    'serve',
    directory,
    '--json',
    '--retention',
    '0',
  ]
  const child = spawn(process.execPath, [...node, '--port', '0', ...args], {
    env: {
      ...cleanEnvironment,
      ...environment,
      VARVE_ACCESS_KEY_ID: credentials.accessKeyId,
      VARVE_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let complaints = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-20_000)
  })
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (status, signal) => resolve(signal ?? status))
  })
  let failures = 0
  const hear = (line: string) => {
    const kind = /^\{"kind":"(failed|retry|reopened)"/.exec(line)?.[1]
    if (kind === undefined) return
    if (kind === 'failed') failures++
    onEvent?.(kind)
  }
  const port = await Promise.race([portOf(child, hear), ended.then(() => undefined)])
  if (port === undefined) throw new Error(`The server ended before it was ready: ${complaints}`)
  return {
    process: child,
    pid: child.pid as number,
    port,
    failures: () => failures,
    complaints: () => complaints,
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}

/** Continues to read its output, so that it never waits for a reader. */
function portOf(child: ChildProcess, hear: (line: string) => void): Promise<number> {
  return new Promise((resolve) => {
    createInterface({ input: child.stdout as NonNullable<ChildProcess['stdout']> }).on('line', (line) => {
      hear(line)
      const found = /"kind":"ready".*http:\/\/[^:/"]+:(\d+)/.exec(line)
      if (found !== null) resolve(Number(found[1]))
    })
  })
}
