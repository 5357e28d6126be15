/**
 * Core decides the same way everywhere and every time: its compiler refuses the APIs of the runtime it happens to run
 * on, and its source uses the clock, chance and the scheduler only through ports.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { files, findLines, isTest, report, root } from './tree.ts'

/** Each stands on a line of its own in the planted file. */
const ambient = [
  `import { readFileSync } from 'node:fs'`,
  `import { createHash } from 'crypto'`,
  'export const a: unknown = process.cwd()',
  `export const b: unknown = Buffer.from('x')`,
  `export const c: unknown = fetch('x')`,
  'export const d: unknown = setTimeout(() => {}, 1)',
  'export const e: unknown = crypto.randomUUID()',
  'export const f: unknown = performance.now()',
  `export const g: unknown = console.log('x')`,
  'export const h: unknown = [readFileSync, createHash].length',
]
const used = ambient.slice(0, -1).map((_, index) => index + 1)

describe("core's compiler settings", () => {
  let project: string

  beforeAll(() => {
    project = realpathSync(mkdtempSync(join(tmpdir(), 'varve-pure-')))
    symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'), 'dir')
    writeFileSync(join(project, 'package.json'), JSON.stringify({ type: 'module' }))
    writeFileSync(join(project, 'ambient.ts'), ambient.join('\n'))
    writeFileSync(join(project, 'pure.ts'), `export const bytes: Uint8Array = new TextEncoder().encode('x')\n`)
    // A test beside the sources must not bring Node's globals in through the back door.
    writeFileSync(
      join(project, 'pure.test.ts'),
      `import { expect, it } from 'vitest'\nit('is', () => expect(1).toBe(1))\n`,
    )
  })
  afterAll(() => rmSync(project, { recursive: true, force: true }))

  const platform = join(root, 'packages/core/src/platform.d.ts')

  it('accept what every runtime has', () => {
    expect(compile(project, { include: ['pure.ts', 'pure.test.ts', platform] })).toEqual({ lines: [], output: '' })
  })

  it("refuse Node's modules and globals", () => {
    const { lines } = compile(project, { include: ['ambient.ts', 'pure.test.ts', platform] })
    expect(lines).toEqual(used)
  })

  it("would let them pass with Node's types, so the refusal is theirs", () => {
    const { output } = compile(project, { include: ['ambient.ts'], types: ['node'] })
    expect(output).toBe('')
  })
})

/** What a rule must not do by itself: time, ids and waiting come in through the ports. */
const impure =
  /\bDate\.now\b|\bnew Date\(\s*\)|(?<!new )(?<![\w.])Date\(|\bMath\.random\b|\b(set(Timeout|Interval|Immediate)|queueMicrotask)\b|(?<![\w.'`-])crypto\.|\bcrypto\[|\bgetRandomValues\b|\brandomUUID\b|\bperformance\.|\bglobalThis\b|\beval\(|\bnew Function\b/

const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, (block) => block.replace(/[^\n]/g, ' ')).replace(/(^|\s)\/\/.*$/gm, '$1')

describe("core's source", () => {
  const sources = files.filter(
    (path) => path.startsWith('packages/core/src/') && path.endsWith('.ts') && !isTest(path) && !path.endsWith('.d.ts'),
  )

  it('uses no clock, no randomness and no scheduler', () => {
    expect(sources.length).toBeGreaterThan(0)
    expect(report(sources, (text) => findLines(withoutComments(text), impure))).toEqual([])
  })

  it.each([
    'const now = Date.now()',
    'const now = new Date()',
    'const now = Date()',
    'const id = Math.random()',
    'setTimeout(retry, 100)',
    'const id = crypto.randomUUID()',
    'const start = performance.now()',
    'const { process } = globalThis as never',
  ])('would be caught at: %s', (line) => {
    expect(findLines(withoutComments(line), impure)).toEqual([{ line: 1, text: line }])
  })

  it.each(['const at = new Date(meta.now)', '/** Not Date.now(): time is given. */', "from '../crypto-free.ts'"])(
    'may contain: %s',
    (line) => {
      expect(findLines(withoutComments(line), impure)).toEqual([])
    },
  )
})

interface Compilation {
  readonly include: readonly string[]
  /** Ambient type packages, instead of core's own choice. */
  readonly types?: readonly string[]
}

/** Compiles with core's own tsconfig; `lines` are those of `ambient.ts` with an error, each once. */
function compile(project: string, { include, types }: Compilation): { lines: number[]; output: string } {
  const compilerOptions = {
    composite: false,
    declaration: false,
    declarationMap: false,
    noEmit: true,
    rootDir: '/',
    tsBuildInfoFile: null,
    ...(types === undefined ? {} : { types, typeRoots: [join(root, 'node_modules/@types')] }),
  }
  const config = { extends: join(root, 'packages/core/tsconfig.json'), compilerOptions, include, references: [] }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', project, '--pretty', 'false'], {
    cwd: project,
    encoding: 'utf8',
  })
  const output = stdout + stderr
  const lines = [...output.matchAll(/^ambient\.ts\((\d+),/gm)].map(([, line]) => Number(line))
  return { lines: [...new Set(lines)].sort((left, right) => left - right), output }
}
