/** The name of the program in the commands that it prints: what a person types to start it again in the same way. */
import { realpathSync } from 'node:fs'
import { basename, delimiter, join, relative } from 'node:path'
import { examples } from './examples.ts'
import { shellWord } from './shell-word.ts'
import { defaultDirectory } from './store-command.ts'

/** Of a process, except in tests. */
export interface Started {
  readonly argv: readonly string[]
  readonly execPath: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: string
  cwd(): string
}

const ownName = 'varve'

/** `varve` if a shell finds this program by the name, `npx varve` if npx has started it, and otherwise the path of the script. */
export function programName(started: Started = process): string {
  const { argv, env } = started
  const script = argv[1] ?? ''
  // Another program, such as a test, that contains the command.
  if (!/^varve(\.[cm]?js)?$/.test(basename(script))) return ownName
  if (env['npm_command'] === 'exec') return `npx ${ownName}`
  if (isOnPath(script, started)) return ownName
  const path = relative(started.cwd(), script)
  return `${runtimeOf(started)} ${shellWord(path.startsWith('..') ? script : path)}`
}

/** Package managers add their own directories to the path of the scripts that they run. The shell of the person does not have them. */
function isOnPath(script: string, { env, platform }: Started): boolean {
  const isOfScript = env['npm_lifecycle_event'] !== undefined
  const directories = (env['PATH'] ?? env['Path'] ?? '')
    .split(delimiter)
    .filter((directory) => !isOfScript || !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(directory))
  // Windows has a file of commands there, not a link to the script.
  if (platform === 'win32') return directories.some((directory) => realPath(join(directory, `${ownName}.cmd`)) !== '')
  const found = directories.map((directory) => realPath(join(directory, ownName))).find((path) => path !== '')
  return found !== undefined && found === realPath(script)
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return ''
  }
}

function runtimeOf({ execPath }: Started): string {
  const name = basename(execPath).replace(/\.exe$/, '')
  return name === 'deno' ? 'deno run --allow-all' : name
}

/** A command to type. `line`: what follows the name of the program. */
export const commandLine = (line: string): string => `${programName()} ${line}`

/** The store that the options of a command reach. */
interface ReachedPlace {
  readonly dir: string
  readonly endpoint?: URL
}

/** As `commandLine`, with the options that reach the same store. */
export const commandOn = (line: string, { endpoint, dir }: ReachedPlace): string => {
  if (endpoint !== undefined) return commandLine(`${line} --endpoint ${shellWord(endpoint.origin)}`)
  // A variable may have been set for one command only.
  const isDefault = dir === defaultDirectory && process.env['VARVE_DIR'] === undefined
  return commandLine(isDefault ? line : `${line} --dir ${shellWord(dir)}`)
}

const firstWords = new Set(Object.keys(examples).map((path) => path.split(' ')[0]))
const named = new RegExp(`(?<![\\w./@:"'-]|npx )varve (?=(?:${[...firstWords].join('|')})(?![\\w-]))`, 'g')

/** A text that names commands of `varve`, with the name of the program. Libraries and examples do not know it. */
export const withProgramName = (text: string): string => text.replaceAll(named, () => commandLine(''))
