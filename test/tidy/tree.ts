/** The repository as the tidy tests see it: every file that is, or is about to be, part of a commit. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** A line that breaks a rule: `line` counts from 1. */
export interface Finding {
  readonly line: number
  readonly text: string
}

/** Paths relative to the root, with forward slashes, sorted. */
export const files: readonly string[] = (gitFiles() ?? walk('')).filter((path) => existsSync(join(root, path))).sort()

export const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** Whole lines of `text` that match. */
export const findLines = (text: string, pattern: RegExp): Finding[] =>
  text.split('\n').flatMap((line, index) => (pattern.test(line) ? [{ line: index + 1, text: line.trim() }] : []))

/** Every finding in every file, as `path:line: text`, ready to be compared with an empty list. */
export const report = (paths: readonly string[], find: (text: string, path: string) => readonly Finding[]): string[] =>
  paths.flatMap((path) => find(read(path), path).map(({ line, text }) => `${path}:${line}: ${text}`))

export const isSource = (path: string): boolean =>
  /^(packages\/[^/]+\/(src|bin)|bench|scripts)\/.*\.(ts|tsx|js|mjs)$/.test(path)
export const isTest = (path: string): boolean => /\.test(-d)?\.ts$/.test(path) || path.startsWith('test/')
export const isCode = (path: string): boolean => /\.(ts|tsx|js|mjs|cjs)$/.test(path)
export const isPage = (path: string): boolean => path.endsWith('.md')

function gitFiles(): string[] | undefined {
  try {
    const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 2 ** 26,
    })
    const paths = listed.split('\0').filter((path) => path !== '')
    return paths.length === 0 ? undefined : paths
  } catch {
    return undefined
  }
}

/** Without git (an unpacked archive): everything but what is installed or built. */
function walk(folder: string): string[] {
  const skipped = new Set(['.git', '.turbo', '.varve', 'coverage', 'varve-data', 'dist', 'node_modules', 'results'])
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : walk(path)
    return entry.isFile() ? [path] : []
  })
}
