/**
 * Runs the commands of a page in one shell, in order and word for word, in a directory that stands for the machine of a user. Ports and the absolute
 * paths of such a machine are replaced: nothing else is.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../support/free-port.ts'
import type { ShownCommand } from '../blocks.ts'

export interface Step extends ShownCommand {
  /** @default what the comment says, as in "ends with 4", or 0 */
  readonly status?: number
  /** Shell commands that stand for what happens before it. */
  readonly before?: string
  readonly replaced?: readonly Replaced[]
  /** What a person answers to its question. */
  readonly answer?: string
}

export type Replaced = readonly [from: string | RegExp, to: string]

export interface Outcome {
  readonly text: string
  readonly status: number
  readonly wanted: number
}

export interface Machine {
  /** Home, and where absolute paths begin. */
  readonly root: string
  /** Paths of scripts for Node, by the names of the programs. */
  readonly programs: Readonly<Record<string, string>>
  readonly env: Readonly<Record<string, string>>
  readonly replaced: readonly Replaced[]
}

/** Directories of the machine of a user. */
const absolute = /(?<![\w.:/])\/(?=(?:etc\/varve|var\/lib\/varve|var\/cache|mnt|backup|packed)(?:\/|\b))/g

/** What serves, or follows the log, until it is stopped. */
const isEndless = (text: string): boolean =>
  /\bvarve (serve|mcp \S+ --http)\b(?! --help)|\bvarve log .*--follow\b|[?&]follow=true|\bnpm start\b|accept: text\/event-stream/.test(
    text,
  )
const serves = (text: string): boolean => /\bvarve (serve|mcp)\b|\bnpm start\b/.test(text)

const wantedOf = ({ text, status }: Step): number => status ?? Number(/# .*\bends with (\d+)/.exec(text)?.[1] ?? 0)

/** The lines of a shell that run a step and note its status. */
function linesOf(step: Step, at: number, changed: (text: string) => string): string {
  const own = (step.replaced ?? []).reduce((all, [from, to]) => all.replaceAll(from, to), step.text)
  const text = changed(own)
  const before = step.before === undefined ? '' : `{ ${changed(step.before)}\n} || exit 99\n`
  const note = `echo "$? ${at}" >> "$STATUSES"`
  if (step.answer !== undefined) return `${before}{ ${text}\n} <<< ${step.answer}\n${note}`
  if (!isEndless(text)) return `${before}${text}\n${note}`
  const output = `"$STATUSES.${at}"`
  const ready = serves(text) ? `grep -q Serving ${output}` : `test -s ${output}`
  // One server at a time has the port.
  const stopBefore = serves(text) ? 'stop_server\n' : ''
  const command = text.replace(/ &( *#.*)?$/, '')
  return `${before}${stopBefore}{ ${command}
} > ${output} 2>&1 < /dev/null &
running=$!
until ${ready} || ! kill -0 $running 2> /dev/null; do sleep 0.05; done
${ready}
${note}
${ready} || cat ${output} >&2
${serves(text) ? 'server=$running' : 'stop_group $running'}`
}

const beginning = `
shopt -s expand_aliases
set -m
stop_group() {
  kill -- -$1 2> /dev/null
  while kill -0 -- -$1 2> /dev/null; do sleep 0.05; done
}
stop_server() {
  if [ -n "$server" ]; then stop_group $server; fi
  server=
}
trap stop_server EXIT
`

function placeProgram(folder: string, name: string, script: string): void {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`)
  chmodSync(path, 0o755)
}

/** Nothing of npm, which runs the tests, of Varve and of the accounts of this machine. */
const cleanEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(VARVE_|AWS_|NODE_OPTIONS|NODE_ENV|npm_|VITEST|INIT_CWD)/.test(name),
  ),
)

export async function runPage(steps: readonly Step[], { root, programs, env, replaced }: Machine) {
  const port = await freePort()
  const bin = join(root, '.bin')
  for (const folder of [bin, join(root, 'work')]) mkdirSync(folder, { recursive: true })
  for (const [name, script] of Object.entries(programs)) placeProgram(bin, name, script)
  const changed = (text: string): string =>
    [
      [absolute, `${root}/`] as const,
      [/\b(127\.0\.0\.1|localhost):9000\b/g, `127.0.0.1:${port}`] as const,
      [/--port 9[03]00\b/g, `--port ${port}`] as const,
      ...replaced,
    ].reduce((all, [from, to]) => all.replaceAll(from, to), text)
  const statuses = join(root, '.statuses')
  writeFileSync(statuses, '')
  const script = join(root, '.script.sh')
  writeFileSync(script, `${beginning}${steps.map((step, at) => linesOf(step, at, changed)).join('\n')}\n`)
  const child = spawn('bash', [script], {
    cwd: join(root, 'work'),
    env: {
      ...cleanEnvironment,
      PATH: [bin, process.env['PATH']].join(delimiter),
      HOME: root,
      STATUSES: statuses,
      VARVE_PORT: String(port),
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
      AWS_REGION: 'us-east-1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (printed += data.toString()))
  await once(child, 'close')
  const ended = new Map(
    readFileSync(statuses, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' ').map(Number) as [number, number])
      .map(([status, at]) => [at, status]),
  )
  const outcomes: Outcome[] = steps.map((step, at) => ({
    text: step.text,
    status: ended.get(at) ?? -1,
    wanted: wantedOf(step),
  }))
  return { outcomes, printed }
}

export const standIn: string = fileURLToPath(new URL('aws.mjs', import.meta.url))
