/**
 * Carries out a Dockerfile without Docker: each stage has a plain directory as its root, in which absolute paths of the file are looked for.
 * It knows the instructions that the files in `deploy` use, and refuses others.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'

interface Instruction {
  readonly name: string
  readonly rest: string
}

/** What a container is started with. */
export interface Image {
  /** The directory that stands for `/`. */
  readonly root: string
  readonly env: Readonly<Record<string, string>>
  readonly entrypoint: readonly string[]
  readonly command: readonly string[]
  /** The command of the health check. */
  readonly healthCheck: readonly string[]
  readonly user: string
  readonly stopSignal: string
}

interface Stage extends Image {
  readonly name: string
  readonly directory: string
}

/** Instructions, without comments, with continued lines joined. */
function instructionsOf(text: string): readonly Instruction[] {
  const lines = text.split('\n').filter((line) => !line.trimStart().startsWith('#'))
  const joined = lines.join('\n').replaceAll(/\\\n/g, ' ')
  return joined.split('\n').flatMap((line) => {
    const [, name, rest = ''] = /^(\w+)\s+(.*)$/.exec(line.trim()) ?? []
    return name === undefined ? [] : [{ name: name.toUpperCase(), rest }]
  })
}

const wordsOf = (text: string): readonly string[] =>
  text.startsWith('[') ? (JSON.parse(text) as readonly string[]) : text.split(/\s+/)

/** The patterns are names, with a star or without, in the context itself or, after two stars and a slash, anywhere. */
const isHidden = (path: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) => {
    const [, anywhere, name = ''] = /^(\*\*\/)?([^/]+)$/.exec(pattern) ?? []
    const form = new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '.*')}$`)
    return form.test(anywhere === undefined ? path : basename(path))
  })

/** Builds the last stage of a Dockerfile. `context`: what `COPY` copies from. Directories are made in `scratch`. */
export function buildImage(
  file: string,
  { context, scratch }: { readonly context: string; readonly scratch: string },
): Image {
  const ignoreFile = `${file}.dockerignore`
  const hidden = existsSync(ignoreFile) ? readFileSync(ignoreFile, 'utf8').split('\n').filter(Boolean) : []
  const stages: Stage[] = []
  for (const { name, rest } of instructionsOf(readFileSync(file, 'utf8'))) {
    if (name === 'FROM') stages.push(newStage(scratch, / AS (\S+)$/i.exec(rest)?.[1] ?? ''))
    else stages.push(carriedOut({ name, rest }, { stage: stages.pop() as Stage, stages, context, hidden }))
  }
  return stages.at(-1) as Stage
}

const newStage = (scratch: string, name: string): Stage => ({
  name,
  root: mkdtempSync(join(scratch, 'root-')),
  directory: '/',
  env: {},
  entrypoint: [],
  command: [],
  healthCheck: [],
  user: '',
  stopSignal: 'SIGTERM',
})

interface Building {
  readonly stage: Stage
  readonly stages: readonly Stage[]
  readonly context: string
  readonly hidden: readonly string[]
}

function carriedOut({ name, rest }: Instruction, building: Building): Stage {
  const { stage } = building
  switch (name) {
    case 'WORKDIR':
      mkdirSync(join(stage.root, rest), { recursive: true })
      return { ...stage, directory: rest }
    case 'COPY':
      copy(rest, building)
      return stage
    case 'RUN':
      return run(rest, stage)
    case 'ARG':
      return { ...stage, env: { ...stage.env, [rest.split('=')[0] as string]: rest.split('=')[1] ?? '' } }
    case 'ENV':
      return { ...stage, env: { ...stage.env, ...Object.fromEntries(wordsOf(rest).map((each) => each.split('='))) } }
    case 'ENTRYPOINT':
      return { ...stage, entrypoint: wordsOf(rest) }
    case 'CMD':
      return { ...stage, command: wordsOf(rest) }
    case 'HEALTHCHECK':
      return { ...stage, healthCheck: wordsOf(rest.slice(rest.indexOf('CMD ') + 4)) }
    case 'USER':
      return { ...stage, user: rest }
    case 'STOPSIGNAL':
      return { ...stage, stopSignal: rest }
    case 'LABEL':
    case 'VOLUME':
    case 'EXPOSE':
      return stage
    default:
      throw new Error(`No rule for ${name} ${rest}`)
  }
}

function copy(rest: string, { stage, stages, context, hidden }: Building): void {
  const words = wordsOf(rest)
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length)
  const [source = '', target = ''] = words.filter((word) => !word.startsWith('--'))
  const base = from === undefined ? context : (stages.find(({ name }) => name === from) as Stage).root
  const into = target.startsWith('/') ? join(stage.root, target) : join(stage.root, stage.directory, target)
  mkdirSync(dirname(into), { recursive: true })
  const isCopied = (path: string) => from !== undefined || !isHidden(relative(context, path), hidden)
  cpSync(join(base, source), into, { recursive: true, filter: isCopied, verbatimSymlinks: true })
}

/** Directories of an image that its files name. */
const named = /(?<![\w.-])\/(?:packed|data|app|src)(?=[/\s]|$)/g

/** The text with such directories where they are: below the root of the stage. */
export const placed = (text: string, { root }: Pick<Image, 'root'>): string =>
  text.replaceAll(named, (top) => `${root}${top}`)

function run(command: string, stage: Stage): Stage {
  execFileSync('sh', ['-ec', placed(command, stage)], {
    cwd: join(stage.root, stage.directory),
    env: { ...cleanEnvironment(), ...stage.env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  return stage
}

/** Nothing of npm, which runs the tests, and of Varve. */
export const cleanEnvironment = (): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VARVE_|NODE_OPTIONS|NODE_ENV|npm_|VITEST)/.test(name)),
  )
