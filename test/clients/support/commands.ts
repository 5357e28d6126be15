/** Other programs: run to their end, with an exit status that must be the one expected. */
import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

export interface Called {
  readonly stdout: Buffer
  readonly stderr: string
  readonly status: number
}

export interface CallOptions {
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  readonly input?: Uint8Array
  /** Statuses that are as they should be; default: 0 alone. */
  readonly statuses?: readonly number[]
  /** Default: ten minutes from now. */
  readonly signal?: AbortSignal
}

/** @throws Error with the end of its output, if it ends with another status than expected */
export async function call(command: string, args: readonly string[], options: CallOptions = {}): Promise<Called> {
  const { env = process.env, cwd, input, statuses = [0], signal = AbortSignal.timeout(600_000) } = options
  const child = spawn(command, args, { env, ...(cwd !== undefined && { cwd }), signal })
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []]
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
  // A program that ends early does not read its input. Its status shows why.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input ?? '')
  const status = await new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? -1))
  })
  const called = { stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString(), status }
  if (statuses.includes(status)) return called
  const output = `${called.stdout.toString()}${called.stderr}`.trim().slice(-2000)
  throw new Error(`${[command, ...args].join(' ')}\nended with ${status}, not ${statuses.join(' or ')}:\n${output}`)
}

/** Where the clients are that are not on the path. */
export function clientsDirectory(): string {
  return process.env['VARVE_CLIENTS'] ?? join(process.env['HOME'] ?? '.', '.cache', 'varve-clients')
}

/** A program, looked for among the clients first and on the path next. */
export function findProgram(name: string): string | undefined {
  const places = [join(clientsDirectory(), 'bin'), ...(process.env['PATH'] ?? '').split(delimiter)]
  return places.map((place) => join(place, name)).find(isExecutable)
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
