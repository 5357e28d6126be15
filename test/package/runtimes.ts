/** The runtimes that this machine has. Those that it lacks are fetched by `npm run suite runtimes`, and no test downloads them. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Runtime {
  readonly name: string
  /** The words before the path of a program. `undefined`: there is none on this machine. */
  readonly command: readonly string[] | undefined
}

const answers = (program: string, expected: RegExp): boolean => {
  const { stdout, error } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  return error === undefined && expected.test(stdout)
}

/** Where `npm run suite node` keeps what it has fetched. */
const kept = (major: number): string => {
  const name = `node-${process.platform}-${process.arch}`
  return join(tmpdir(), `varve-node-${major}`, 'node_modules', name, 'bin/node')
}

/** A Node of this major version: the one that runs the tests, `node22` on the path, or one that was kept. */
function nodeOf(major: number): Runtime {
  const programs = [process.execPath, `node${major}`, ...[kept(major)].filter((path) => existsSync(path))]
  const found = programs.find((program) => answers(program, new RegExp(`^v${major}\\.`)))
  return { name: `Node ${major}`, command: found === undefined ? undefined : [found] }
}

const onPath = (name: string, program: string, options: readonly string[]): Runtime => ({
  name,
  command: answers(program, /^(deno )?\d/) ? [program, ...options] : undefined,
})

export const runtimes = (): readonly Runtime[] => [
  ...[20, 22, 24].map(nodeOf),
  onPath('Bun', 'bun', []),
  onPath('Deno', 'deno', ['run', '--allow-all']),
]
