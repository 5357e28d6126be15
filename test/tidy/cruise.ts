/** Runs dependency-cruiser as `npm run check:imports` does, and hands back what it saw. */
import { parseSync } from '@swc/core'
import { spawnSync } from 'node:child_process'
import { join, posix } from 'node:path'
import { read, root } from './tree.ts'

export interface Violation {
  readonly rule: string
  readonly from: string
  readonly to: string
}

export interface Cruise {
  /** Files whose imports were read. */
  readonly modules: readonly string[]
  /** Imports seen between them, and of what is outside. */
  readonly imports: readonly { readonly from: string; readonly to: string }[]
  readonly violations: readonly Violation[]
}

interface Report {
  readonly modules: readonly {
    readonly source: string
    readonly dependencies: readonly { readonly resolved: string }[]
  }[]
  readonly summary: {
    readonly violations: readonly {
      readonly rule: { readonly name: string }
      readonly from: string
      readonly to: string
    }[]
  }
}

/** @throws Error when the tool itself fails, whatever the code under test looks like. */
export function cruise(cwd: string, paths: readonly string[]): Cruise {
  const { stdout, stderr, status } = depcruise(cwd, ['--output-type', 'json', ...paths])
  if (status !== 0) throw new Error(`dependency-cruiser failed: ${stderr}`)
  const { modules, summary } = JSON.parse(stdout) as Report
  return {
    modules: modules.map(({ source }) => source),
    imports: modules.flatMap(({ source, dependencies }) =>
      dependencies.map(({ resolved }) => ({ from: source, to: resolved })),
    ),
    violations: summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
  }
}

/** The relative imports of a file with JSX, which dependency-cruiser cannot read. */
export function importsOf(path: string): Cruise['imports'] {
  const { body } = parseSync(read(path), { syntax: 'typescript', tsx: true, target: 'es2022' })
  return body.flatMap((statement) => {
    if (statement.type !== 'ImportDeclaration' || !statement.source.value.startsWith('.')) return []
    return [{ from: path, to: posix.join(posix.dirname(path), statement.source.value) }]
  })
}

/** The exit code a person running the check would get. */
export const cruiseExitCode = (cwd: string, paths: readonly string[]): number | null => depcruise(cwd, paths).status

function depcruise(cwd: string, args: readonly string[]) {
  const command = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs')
  const config = join(root, '.dependency-cruiser.cjs')
  return spawnSync(process.execPath, [command, '--config', config, ...args], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
}
